from collections import deque

from fairness_lib import Outcome


class RoundRobin:
    """A queue for every tenant; one task from each in turn, whatever it costs."""

    def begin(self, tasks):
        self.tenant = tasks.tenant
        self.queues = [deque() for _ in tasks.tenants]
        self.turns = deque()  # tenants with tasks; the first has its turn

    def put(self, task, now):
        tenant = self.tenant[task]
        queue = self.queues[tenant]
        if len(queue) >= 200:
            return Outcome.QUEUE_FULL
        queue.append(task)
        if len(queue) == 1:
            self.turns.append(tenant)

    def take(self, now):
        if not self.turns:
            return None
        tenant = self.turns.popleft()
        task = self.queues[tenant].popleft()
        if self.queues[tenant]:
            self.turns.append(tenant)
        return task
