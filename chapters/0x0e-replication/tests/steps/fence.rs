// What a fence does after a try.

#[test]
fn fence_stands_where_it_was_appended() {
    for last in [0, 7, 1_000_000] {
        let begun = fenced(last, Ok(()));
        assert_eq!(
            begun,
            ControlFlow::Break(Ok(last + 1)),
            "appended right after message {last}: its place is its number"
        );
    }
}

#[test]
fn fence_is_tried_again_after_what_came_in_between() {
    for other in [frame(4, 2), epoch(3, LOG)] {
        let tried = fenced(2, Err(NotAppended::Other(other.into())));
        assert_eq!(
            tried,
            ControlFlow::Continue(()),
            "another message took its place: the fence has to stand after that"
        );
    }
}

#[test]
fn fence_is_given_up_where_the_stream_has_lost_something() {
    for found in [0, 1, 6] {
        let tried = fenced(7, Err(NotAppended::Shorter(found)));
        let what =
            "the stream ends before the place after which the epoch was to stand: the program says how long it is";
        assert_eq!(tried, ControlFlow::Break(Err(found)), "{what}");
    }
}

/// An old primary appends a frame each time before the epoch arrives, and then no more. A list stands for the stream.
#[test]
fn fence_comes_after_everything_that_was_acknowledged() {
    for between in 0..5 {
        let (mut stream, mut left) = (vec![Bytes::from(epoch(1, LOG))], between);
        let begun = loop {
            let last = stream.len() as u64;
            if left > 0 {
                stream.push(frame(1 + between - left, 1).into());
                left -= 1;
            }
            let message = Bytes::from(epoch(last + 1, LOG));
            if stream.len() as u64 == last {
                stream.push(message.clone());
            }
            let tried = match Stream::fate(&message, stream.get(last as usize).cloned()) {
                Fate::There => Ok(()),
                Fate::Never(other) => Err(NotAppended::Other(other)),
                Fate::Open => panic!("something stands at every place that was tried"),
            };
            match fenced(last, tried) {
                ControlFlow::Break(begun) => break begun,
                ControlFlow::Continue(()) => assert!(stream.len() < 20, "it never ends"),
            }
        };
        assert_eq!(begun, Ok(2 + between), "{between} frames came in between: the epoch stands after all of them");
        assert_eq!(stream.len() as u64, 2 + between, "and nothing stands after the epoch");
    }
}
