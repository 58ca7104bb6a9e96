from collections import deque

from fairness_lib import Outcome


class DeficitRoundRobin:
    """A queue for every tenant, served in turn and charged by cost."""

    quantum_s, cap = 0.010, 200

    def begin(self, tasks):
        self.tenant, self.cost_s = tasks.tenant, tasks.estimate_s
        self.queues = [deque() for _ in tasks.tenants]
        self.deficit_s = [0.0 for _ in tasks.tenants]
        self.turns = deque()  # tenants with tasks; the first has its turn

    def put(self, task, now):
        tenant = self.tenant[task]
        queue = self.queues[tenant]
        if len(queue) >= self.cap:
            return Outcome.QUEUE_FULL
        queue.append(task)
        if len(queue) == 1:
            self.turns.append(tenant)
            if len(self.turns) == 1:
                self.begin_turn()

    def take(self, now):
        while self.turns:
            tenant = self.turns[0]
            queue = self.queues[tenant]
            cost_s = self.cost_s[queue[0]]
            if cost_s <= self.deficit_s[tenant]:
                self.deficit_s[tenant] -= cost_s
                task = queue.popleft()
                if not queue:  # what is left is forfeited
                    self.deficit_s[tenant] = 0.0
                    self.turns.popleft()
                    self.begin_turn()
                return task
            self.turns.rotate(-1)
            self.begin_turn()

    def begin_turn(self):
        if self.turns:
            self.deficit_s[self.turns[0]] += self.quantum_s
