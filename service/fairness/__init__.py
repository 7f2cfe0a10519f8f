"""What makes dice honest and proves it afterwards."""
