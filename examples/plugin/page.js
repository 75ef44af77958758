// A page of the dashboard. Plain JavaScript: the server sends this file to browsers as it is.

function row(element, texts, kind = 'td') {
  const line = element.appendChild(document.createElement('tr'));
  for (const text of texts) line.appendChild(document.createElement(kind)).textContent = text;
}

/** `api` calls the server with the key of whoever is signed in. What is returned ends the page. */
export async function mount(element, api) {
  element.innerHTML = '<h1>Heartbeats</h1><table></table>';
  const table = element.querySelector('table');
  const show = async () => {
    const { items } = await api.get('./v1/heartbeats');
    table.replaceChildren();
    row(table, ['Program', 'Last heard from', ''], 'th');
    for (const { name, lastSeenAt, isLate } of items) {
      row(table, [name, lastSeenAt, isLate ? 'late' : '']);
    }
  };
  await show();
  const timer = setInterval(() => void show().catch(() => undefined), 5_000);
  return () => clearInterval(timer);
}
