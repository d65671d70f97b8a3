/// The style and script of each page, which then needs no other file.
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
    @media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; width: auto; } }

    """

  /// Hides the types in which none of the words that are typed stands.
  static let script = """

    const search = document.getElementById("search");
    const sections = [...document.querySelectorAll("section")];
    const entries = [...document.querySelectorAll("#index li")];
    const texts = sections.map((section) => section.textContent.toLowerCase());
    search.addEventListener("input", () => {
      const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
      sections.forEach((section, index) => {
        const isFound = words.every((word) => texts[index].includes(word));
        section.classList.toggle("hidden", !isFound);
        entries[index].classList.toggle("hidden", !isFound);
      });
    });

    """
}
