"""A workload meets a policy on a pool of workers: readable, and compiled, to the same bits."""
