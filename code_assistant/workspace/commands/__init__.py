"""Running commands: started by a supervisor that lets none of their processes survive, read within bounds."""
