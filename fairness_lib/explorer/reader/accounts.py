from collections import deque

from fairness_lib import Outcome


class DeficitRoundRobin:
    """Deficit round robin between accounts: what stands before the slash of a name."""

    quantum_s, cap = 0.010, 200

    def begin(self, tasks):
        names = [name.split("/")[0] for name in tasks.tenants]
        accounts = sorted(set(names))
        self.account = [accounts.index(name) for name in names]
        self.tenant, self.cost_s = tasks.tenant, tasks.estimate_s
        self.queues = [deque() for _ in accounts]
        self.deficit_s = [0.0 for _ in accounts]
        self.turns = deque()  # accounts with tasks; the first has its turn

    def put(self, task, now):
        account = self.account[self.tenant[task]]
        queue = self.queues[account]
        if len(queue) >= self.cap:
            return Outcome.QUEUE_FULL
        queue.append(task)
        if len(queue) == 1:
            self.turns.append(account)
            if len(self.turns) == 1:
                self.begin_turn()

    def take(self, now):
        while self.turns:
            account = self.turns[0]
            queue = self.queues[account]
            cost_s = self.cost_s[queue[0]]
            if cost_s <= self.deficit_s[account]:
                self.deficit_s[account] -= cost_s
                task = queue.popleft()
                if not queue:  # what is left is forfeited
                    self.deficit_s[account] = 0.0
                    self.turns.popleft()
                    self.begin_turn()
                return task
            self.turns.rotate(-1)
            self.begin_turn()

    def begin_turn(self):
        if self.turns:
            self.deficit_s[self.turns[0]] += self.quantum_s
