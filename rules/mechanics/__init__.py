"""What turns, payouts, notes, dice and cards do; editions are put together from these."""
