"""Who is let in, and who is served next: one file a discipline."""
