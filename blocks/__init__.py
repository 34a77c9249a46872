"""Domain in, Block Kit JSON out. Pure: no I/O, no clock, no settings; untrusted text never becomes markup."""
