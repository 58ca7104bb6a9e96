"""The source article's experiment: its scenario, its published figures, ours beside them."""
