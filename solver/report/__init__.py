"""Pages in HTML, each one file that loads nothing. Knows nothing of engines and of click.

``replay`` shows a game. The report of runs is made of their rows (``sample``), what is said of them (``sections``) and
the plots (``plots``), put together by ``page``. ``templates`` fills in what the pages look like.
"""
