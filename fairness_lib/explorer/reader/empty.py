class Mine:
    def begin(self, tasks):
        """A run begins: tasks.tenant[task], tasks.estimate_s[task], tasks.weight[tenant]."""

    def put(self, task, now):
        """A task comes: keep it, or return Outcome.QUEUE_FULL."""

    def take(self, now):
        """A worker is idle: return a task that waits, or None."""
