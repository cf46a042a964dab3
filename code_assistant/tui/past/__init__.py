"""What was said before: shown again, chosen from a list, rewound, named."""
