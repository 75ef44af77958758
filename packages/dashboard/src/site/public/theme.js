// Before anything is painted: the theme that was chosen here, or the system's.
try {
  const chosen = localStorage.getItem('pawl-theme');
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is refused: the system's theme it is.
}
