"""Errors and warnings."""

from typing import NamedTuple


class Message(NamedTuple):
    """One message of the library. `file` and `field` are empty and `line` is 0 if they do not apply."""

    severity: str
    file: str
    line: int
    column: int
    field: str
    text: str

    def __str__(self):
        place = self.file
        if self.line > 0:
            place += f":{self.line}" + (f":{self.column}" if self.column > 0 else "")
        return ": ".join(part for part in (place, self.field, self.text) if part)


class Error(Exception):
    """A call that failed. `messages` has every reason; `file`, `line` and `field` are those of the first error."""

    def __init__(self, status, messages):
        self.status = status
        self.messages = list(messages)
        first = next((m for m in self.messages if m.severity == "error"), None)
        self.file = first.file if first else ""
        self.line = first.line if first else 0
        self.field = first.field if first else ""
        self.text = first.text if first else status
        super().__init__("\n".join(str(m) for m in self.messages if m.severity == "error") or status)

    def __reduce__(self):
        return Error, (self.status, self.messages)


class GrouserWarning(UserWarning):
    """A warning of the library: a value without effect, use outside the range of a law."""
