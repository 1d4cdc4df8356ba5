"""Programs that run under the launch's interpreter, for what has to be asked there; none imports stilltrue.

Each is started by its file: standard library and what is installed there, its question as JSON in its one
argument, one JSON document on standard output.
"""
