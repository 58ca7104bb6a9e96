"""How fast the library is, side by side with others on the same arrivals (`make bench`)."""
