"""Pages in HTML, each one file that loads nothing. Knows nothing of engines and of click.

``replay`` shows a game; ``templates`` fills in what the pages look like.
"""
