// The filters of the list of claims, and the folds of tables of claims, which open when a link leads to a
// card inside. Everything else on the site works without scripts.
(function () {
  "use strict";

  const NAMES = ["verdict", "tag", "chapter", "text"];

  function wanted(form) {
    return Object.fromEntries(NAMES.map((name) => [name, form.elements[name].value.trim()]));
  }

  function matches(row, want) {
    return (
      (!want.verdict || row.dataset.verdict === want.verdict) &&
      (!want.tag || row.dataset.tags.split(" ").includes(want.tag)) &&
      (!want.chapter || row.dataset.chapter === want.chapter) &&
      (!want.text || row.textContent.toLowerCase().includes(want.text.toLowerCase()))
    );
  }

  function remember(want) {
    const query = new URLSearchParams(Object.entries(want).filter(([, value]) => value));
    const search = query.toString();
    history.replaceState(history.state, "", location.pathname + (search ? `?${search}` : "") + location.hash);
  }

  function start(form) {
    if (!form.hidden) return;
    const rows = Array.from(document.querySelectorAll(".st-index tbody tr"));
    const elsewhere = document.querySelector(".st-elsewhere");
    const cards = new Map(Array.from(document.querySelectorAll(".st-elsewhere > .st-card"), (card) => [card.id, card]));
    const none = document.querySelector(".st-none");
    const asked = new URLSearchParams(location.search);

    function apply() {
      const want = wanted(form);
      let shown = 0;
      let cardsShown = 0;
      for (const row of rows) {
        row.hidden = !matches(row, want);
        if (!row.hidden) shown += 1;
        // A card of this page goes with its claim's row.
        const card = cards.get(row.dataset.claim);
        if (card) {
          card.hidden = row.hidden;
          if (!card.hidden) cardsShown += 1;
        }
      }
      if (elsewhere) elsewhere.hidden = cardsShown === 0;
      none.hidden = shown > 0;
      form.elements.count.value = `${shown} of ${rows.length}`;
      return want;
    }

    for (const name of NAMES) {
      if (asked.has(name)) form.elements[name].value = asked.get(name);
    }
    form.addEventListener("input", () => remember(apply()));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    apply();
  }

  function target() {
    try {
      return document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null; // an address that is no text
    }
  }

  function reveal() {
    const card = target();
    const folds = [];
    for (let at = card; at; at = at.parentElement) {
      if (at.localName === "details" && !at.open) folds.push(at);
    }
    for (const fold of folds) fold.open = true;
    if (folds.length) card.scrollIntoView();
  }

  function startAll() {
    document.querySelectorAll(".st-filters").forEach(start);
    reveal();
  }

  window.addEventListener("hashchange", reveal);
  // A second click on the same link changes no address.
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a[href*='#']")) setTimeout(reveal);
  });

  // Material's instant navigation changes pages without loading them: it announces each one here.
  if (window.document$) window.document$.subscribe(startAll);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", startAll);
  else startAll();
})();
