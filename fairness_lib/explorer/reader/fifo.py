from fairness_lib import Outcome


class Fifo:
    """One queue for all."""

    def begin(self, tasks):
        self.queue = []

    def put(self, task, now):
        if len(self.queue) >= 2000:
            return Outcome.QUEUE_FULL
        self.queue.append(task)

    def take(self, now):
        return self.queue.pop(0) if self.queue else None
