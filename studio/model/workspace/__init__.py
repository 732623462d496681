"""Page of the Model workspace."""
