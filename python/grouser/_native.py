"""The C library as cffi sees it, and what all wrappers share: text, messages, overrides, views of memory."""

import difflib
import json
import sys
import warnings

import numpy as np

from .errors import Error, GrouserWarning, Message
from .lib._grouser import ffi, lib

_SEVERITIES = ("error", "warning", "info")
_NUMBERS = {"double": "f8", "float": "f4", "_Bool": "?", "int": "i4", "unsigned int": "u4", "int64_t": "i8", "uint64_t": "u8", "long": "i8"}


def text(pointer):
    """A C string as str; "" for NULL."""
    return ffi.string(pointer).decode() if pointer != ffi.NULL else ""


def warn(message):
    """A warning at the line that called the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(GrouserWarning(message), stacklevel=level)


class Log:
    """A GrErrorLog: raises its errors, and passes on its warnings."""

    def __init__(self):
        self.c = ffi.new("GrErrorLog *")

    def messages(self):
        """What was said, in order."""
        return [
            Message(_SEVERITIES[item.severity], text(item.file), item.line, item.column, text(item.field), text(item.text))
            for item in self.c.items[0 : self.c.count]
        ]

    def check(self, status):
        """Raises Error unless the status is good; gives warnings to Python's warnings otherwise."""
        messages = self.messages()
        if status != lib.GR_OK:
            raise Error(text(lib.gr_status_text(status)), messages)
        for message in messages:
            if message.severity == "warning":
                warn(str(message))
        if self.c.dropped > 0:
            warn(f"{self.c.dropped} more messages")

    def create(self, kind, function, *arguments):
        """The object that a function gr_x_create(…, GrX **out, GrErrorLog *log) makes."""
        out = ffi.new(f"{kind} **")
        self.check(function(*arguments, out, self.c))
        return out[0]


def check(status):
    """Raises Error for a function without a log."""
    if status != lib.GR_OK:
        raise Error(text(lib.gr_status_text(status)), [])


def value_text(value):
    """A value as YAML has it."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.generic) or isinstance(value, np.ndarray):
        value = value.tolist()
    return json.dumps(value)


class Texts:
    """A NULL-terminated list of C strings, and what keeps them."""

    def __init__(self, texts):
        self.keep = [ffi.new("char[]", item.encode()) for item in texts]
        self.c = ffi.new("const char *[]", self.keep + [ffi.NULL])


def overrides(values):
    """{"soil:phi": 30} as the list ["soil:phi=30"] for C; numbers, texts, booleans and lists, as YAML has them."""
    return Texts([f"{key}={value_text(value)}" for key, value in (values or {}).items()])


def nearest(name, names):
    """The message for a name that does not exist."""
    close = difflib.get_close_matches(name, list(names), 1)
    return f"there is no '{name}'" + (f"; did you mean '{close[0]}'?" if close else f"; there are: {', '.join(names)}")


def _field_type(ctype):
    if ctype.kind == "struct":
        return dtype(ctype)
    if ctype.kind == "enum":
        return np.dtype(f"{'i' if ffi.cast(ctype, -1) < ffi.cast(ctype, 0) else 'u'}{ffi.sizeof(ctype)}")
    if ctype.kind == "array":
        if ctype.item.cname == "char":
            return np.dtype(f"S{ctype.length}")
        return np.dtype((_field_type(ctype.item), ctype.length))
    return np.dtype(_NUMBERS[ctype.cname]) if ctype.cname in _NUMBERS else None


def dtype(ctype):
    """The numpy dtype with the layout of a C struct; its pointers are left out."""
    if isinstance(ctype, str):
        ctype = ffi.typeof(ctype)
    fields = [(name, _field_type(field.type), field.offset) for name, field in ctype.fields]
    fields = [field for field in fields if field[1] is not None]
    names, formats, offsets = zip(*fields)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(ctype)})


def view(pointer, count, kind, owner, writeable=False):
    """Memory of C as an array, without a copy; the array keeps the owner of the memory alive."""
    kind = np.dtype(kind)
    if count == 0:
        return np.zeros(0, kind)
    kept = ffi.gc(ffi.cast("char *", pointer), lambda _, keep=owner: None)
    array = np.frombuffer(ffi.buffer(kept, count * kind.itemsize), kind)
    array.flags.writeable = writeable
    return array


def plain(value):
    """A struct as a dict, an array as a list, a C string as str; pointers are left out."""
    if not isinstance(value, ffi.CData):
        return value
    ctype = ffi.typeof(value)
    if ctype.kind == "struct":
        return {name: plain(getattr(value, name)) for name, field in ctype.fields if field.type.kind not in ("pointer", "function")}
    if ctype.kind == "array":
        return text(value) if ctype.item.cname == "char" else [plain(item) for item in value]
    return None


def gravity_of(gravity):
    """Gravity [m/s²] of a body by its name, or a number."""
    if not isinstance(gravity, str):
        return float(gravity)
    out = ffi.new("double *")
    if not lib.gr_gravity_named(gravity.encode(), out):
        names = []
        while lib.gr_gravity_name(len(names)) != ffi.NULL:
            names.append(text(lib.gr_gravity_name(len(names))))
        raise Error("a name refers to nothing", [Message("error", "", 0, 0, "gravity", nearest(gravity, names))])
    return out[0]
