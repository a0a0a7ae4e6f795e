"""``python -m solver`` is the command ``citadel``."""

from solver.cli import main

if __name__ == "__main__":
    main()
