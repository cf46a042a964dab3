"""How long a test waits for what comes in a moment on a quiet machine: only what hangs may meet it."""

HANG_GUARD = 60
