"""What can be wrong with the input: one exception type, so that callers can catch it and print one line."""


class InputError(ValueError):
    """Something the user gave is wrong; the message is one line fit to be shown as it is."""
