/// The style and the scripts that each page contains, so that it needs no other file.
enum SchemaPageAssets {
  static let style = """

    :root { color-scheme: light dark; --line: #8884; --soft: #8882; }
    body { font: 16px/1.5 system-ui, sans-serif; margin: 0; display: flex; }
    nav { position: sticky; top: 0; height: 100vh; width: 18rem; overflow: auto; padding: 1rem; box-sizing: border-box;
      border-right: 1px solid var(--line); flex: none; }
    nav ul { list-style: none; padding: 0; margin: 0.5rem 0; }
    nav h2 { font-size: 1rem; margin: 1rem 0 0; }
    main { padding: 1rem 2rem; min-width: 0; max-width: 60rem; }
    input { width: 100%; box-sizing: border-box; font: inherit; padding: 0.3rem 0.5rem; }
    section { border-top: 1px solid var(--line); margin-top: 2rem; }
    section:target { background: var(--soft); }
    h2 a { color: inherit; text-decoration: none; }
    small { font-weight: normal; opacity: 0.7; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); }
    td p { margin: 0; }
    dt { font-weight: bold; float: left; clear: left; width: 9rem; }
    .deprecated { opacity: 0.6; text-decoration: line-through; }
    .attribute { background: var(--soft); border-radius: 3px; padding: 0 0.3rem; }
    .hidden { display: none; }
    tr:target, .found { background: #fc03; }
    @media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; width: auto; } }

    """

  /// The script that searches a page. It hides the types that do not contain all typed words. It marks each row that
  /// contains some of the words, if the type's name or comment contains the rest.
  static let script = """

    const search = document.getElementById("search");
    const sections = [...document.querySelectorAll("section")];
    const entries = [...document.querySelectorAll("#index li")];
    const texts = sections.map((section) => section.textContent.toLowerCase());
    const rows = sections.map((section) => [...section.querySelectorAll("tr[id]")]
      .map((row) => ({ row, text: row.textContent.toLowerCase() })));
    const heads = sections.map((section, index) =>
      rows[index].reduce((text, { text: row }) => text.replace(row, " "), texts[index]));
    search.addEventListener("input", () => {
      const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
      sections.forEach((section, index) => {
        const isFound = words.every((word) => texts[index].includes(word));
        section.classList.toggle("hidden", !isFound);
        entries[index].classList.toggle("hidden", !isFound);
        rows[index].forEach(({ row, text }) => row.classList.toggle("found", isFound
          && words.some((word) => text.includes(word))
          && words.every((word) => text.includes(word) || heads[index].includes(word))));
      });
    });

    """

  /// The script that searches `types`, the names and comments of all pages. It finds the types and members that contain
  /// all typed words; a word that a member lacks may occur in its type's name. Matches of names come before matches of
  /// comments.
  static let indexScript = """

    const search = document.getElementById("search");
    const results = document.getElementById("results");
    const sections = [...document.querySelectorAll("section")];
    const shown = 100;
    const items = types.flatMap(([page, type, text, members, anchor = type]) => [
      { name: type, around: "", text, place: `${pages[page]}#${encodeURIComponent(anchor)}` },
      ...members.map(([name, text = ""]) => ({
        name, around: type, text, place: `${pages[page]}#${encodeURIComponent(anchor)}:${encodeURIComponent(name)}`,
      })),
    ]);
    items.forEach((item) => {
      item.words = item.name.toLowerCase();
      item.last = item.words.split(".").pop();
      item.own = `${item.words} ${item.text.toLowerCase()}`;
      item.whole = `${item.around.toLowerCase()} ${item.own}`;
    });
    const find = (words) => {
      // A name in a namespace is wanted by its last part.
      const rank = ({ last: name }) =>
        words.includes(name) ? 0 : words.some((word) => name.startsWith(word)) ? 1
          : words.some((word) => name.includes(word)) ? 2 : 3;
      return items
        .filter(({ own, whole }) => words.every((word) => whole.includes(word)) && words.some((word) => own.includes(word)))
        .map((item) => [rank(item), item]).sort(([first], [second]) => first - second).map(([, item]) => item);
    };
    search.addEventListener("input", () => {
      const words = search.value.toLowerCase().split(/[\\s.:]+/).filter(Boolean);
      const found = words.length > 0 ? find(words) : [];
      sections.forEach((section) => section.classList.toggle("hidden", words.length > 0));
      results.replaceChildren(...found.slice(0, shown).map((item) => {
        const entry = document.createElement("li");
        const link = document.createElement("a");
        link.href = item.place;
        link.textContent = item.around ? `${item.around}.${item.name}` : item.name;
        const text = document.createElement("small");
        text.textContent = ` ${item.text}`;
        entry.append(link, text);
        return entry;
      }));
      if (words.length === 0 || found.length > 0 && found.length <= shown) return;
      const rest = document.createElement("li");
      rest.textContent = found.length === 0 ? "Nothing is found" : `... and ${found.length - shown} more`;
      results.append(rest);
    });

    """
}
