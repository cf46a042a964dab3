"""The offline explorer: a model made of rules, behind the same protocol as real ones, for when there is no other."""
