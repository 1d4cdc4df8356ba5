"""Programs that run under the launch's interpreter, for what has to be asked there; none imports stilltrue.

Each has a `main` that `asking` calls with the question: plain data, as the answer is. It may use the standard
library, and what is installed there.
"""
