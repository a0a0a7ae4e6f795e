"""The referee: replays move lists and checks certificates. Standard library only, nothing from ``engine``."""

from solver.referee.certificate import Certificate, certificate_bytes, read_certificate
from solver.referee.check import Check, check_certificate
from solver.referee.replay import Replay, replay

__all__ = [
    "Certificate",
    "Check",
    "Replay",
    "certificate_bytes",
    "check_certificate",
    "read_certificate",
    "replay",
]
