"""Many runs: over seeds and parameters, with intervals, kept on disk."""
