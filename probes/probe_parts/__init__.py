"""What probes share, each module named for what it does; none of them is a probe."""
