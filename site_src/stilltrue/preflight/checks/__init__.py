"""The checks, one module each; `preflight.table` names them."""
