"""The book in Python, with nothing but the standard library: python3 stranger.py path/to/libany_price_c.so"""
import ctypes, sys

class Command(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint64), ("id", ctypes.c_uint64), ("price", ctypes.c_int64),
                ("quantity", ctypes.c_uint32), ("handle", ctypes.c_uint32), ("kind", ctypes.c_uint8),
                ("side", ctypes.c_uint8), ("time_in_force", ctypes.c_uint8)]

class Event(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint64), ("id", ctypes.c_uint64), ("taker", ctypes.c_uint64),
                ("price", ctypes.c_int64), ("quantity", ctypes.c_uint32), ("left", ctypes.c_uint32),
                ("handle", ctypes.c_uint32), ("kind", ctypes.c_uint8), ("reason", ctypes.c_uint8),
                ("side", ctypes.c_uint8)]

library = ctypes.CDLL(sys.argv[1])
library.any_price_create.restype = ctypes.c_void_p
book, written = ctypes.c_void_p(library.any_price_create()), ctypes.c_size_t()
commands = (Command * 2)(Command(1, 7, -50, 10, 0, 1, 1, 0), Command(2, 8, -49, 4, 0, 1, 0, 1))
events = (Event * 8)()
library.any_price_batch(book, commands, ctypes.c_size_t(2), events, ctypes.c_size_t(8), ctypes.byref(written))
for event in events[: written.value]:
    print(event.number, event.kind, event.id, event.taker, event.side, event.price, event.quantity, event.left)
library.any_price_destroy(book)
