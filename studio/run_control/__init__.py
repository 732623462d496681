"""Control of the run in front: started, paused, stopped, debugged, its recipe edited."""
