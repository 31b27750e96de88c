// Every behaviour is a module of its own and only improves a page that works without it.
