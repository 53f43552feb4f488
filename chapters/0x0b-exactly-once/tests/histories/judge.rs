//! Judges what the door says of a number by what the logs hold, and each client's answers by those that it had before.

use exactly_once::lane::Numbered;
use exactly_once::table::{DONE, REUSED, TOO_OLD};
use exactly_once::window::NUMBERS;
use gateway::reply::{Given, Refusal};
use market::{Command, Reason};

use super::{Entered, World};

impl World {
    /// The answers that are on their way arrive or are lost. Each is judged, for the door gave it.
    pub(super) fn hear(&mut self) -> Result<(), String> {
        let arrived = std::mem::take(&mut *self.answers.lock().unwrap());
        for (entered, given) in arrived {
            if entered.len() != given.len() {
                return Err(format!("{} answers to {} commands", given.len(), entered.len()));
            }
            let is_lost = self.random.below(3) == 0;
            for (entered, given) in entered.into_iter().zip(given) {
                self.judge(entered, &given)?;
                if !is_lost {
                    self.remember(entered.wish, given)?;
                }
            }
        }
        Ok(())
    }

    /// What the door answers to a number agrees with the logs.
    fn judge(&mut self, entered: Entered, given: &Given) -> Result<(), String> {
        let command = self.wishes[entered.wish].command;
        let numbered = Numbered::of(&command).ok_or("a wish has a number")?;
        let wrong = |what: &str| Err(format!("{command:?}: {what}: {given:?}"));
        let places = self.engine.find(numbered);
        if places.len() > 1 {
            return wrong("it was carried out twice");
        }
        let logged = places.first().map(|&(shard, at)| (self.engine.logs[shard].entries[at].command, shard, at));
        match (given, logged) {
            (Ok(reply), Some((first, shard, at))) if first == command => {
                self.happened.answers += 1;
                self.happened.rejected +=
                    usize::from(reply.rejected().is_some_and(|reason| reason == Reason::BadPrice));
                if *reply != self.engine.reply(shard, at) {
                    return wrong("another answer than the first");
                }
            }
            (Ok(_), Some(_)) => return wrong("it is the answer to another request of this number"),
            (Ok(_), None) => return wrong("it is not in the log"),
            (Err(Refusal::Layer(refused, _)), logged) if **refused == REUSED => {
                self.happened.reused += 1;
                if entered.was_logged && logged.is_some_and(|(first, ..)| first == command) {
                    return wrong("it is the first of its number");
                }
                if !self.is_shared(command) {
                    return wrong("no other request has its number");
                }
            }
            (Err(Refusal::Layer(refused, _)), _) if **refused == TOO_OLD => {
                self.happened.too_old += 1;
                if self.engine.highest(numbered) < numbered.number + NUMBERS {
                    return wrong("it is in the window");
                }
            }
            (Err(Refusal::Layer(refused, _)), logged) if **refused == DONE => {
                self.happened.done += 1;
                if logged.is_none() {
                    return wrong("it was not");
                }
            }
            (Err(Refusal::Busy), _) => self.happened.busy += 1,
            (Err(Refusal::Stopped), _) if self.has_stopped => {}
            _ => return wrong("no such refusal was to be expected"),
        }
        Ok(())
    }

    /// An answer to a client. It never gets two answers to one request, except for "busy" and "outcome unknown".
    fn remember(&mut self, wish: usize, given: Given) -> Result<(), String> {
        if matches!(given, Err(Refusal::Busy | Refusal::Stopped)) {
            return Ok(());
        }
        let command = self.wishes[wish].command;
        match self.known.get(&wish) {
            Some((_, first)) if first.is_ok() && given.is_ok() => {
                self.happened.repeats += 1;
                let same = |given: &Given| given.as_ref().map(|reply| (reply.events.clone(), reply.filled)).ok();
                if same(first) != same(&given) {
                    return Err(format!("{command:?}: first {first:?}, then {given:?}"));
                }
            }
            Some((_, Ok(first))) if given == Err(Refusal::Layer(&REUSED, None)) => {
                return Err(format!("{command:?}: it was answered with {first:?}, and now its number is another's"));
            }
            Some(_) => {}
            None => drop(self.known.insert(wish, (command, given))),
        }
        Ok(())
    }

    /// Whether another request has the number of this one.
    fn is_shared(&self, command: Command) -> bool {
        let number = Numbered::of(&command);
        self.wishes.iter().any(|other| Numbered::of(&other.command) == number && other.command != command)
    }
}
