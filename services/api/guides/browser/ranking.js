// Finds sections of the guides. The browser and the tests run it; the library is handed in, because each of them finds it elsewhere.

/** An index of sections: every word has to occur, also as the beginning of another word or with one letter wrong. */
export function indexOf(MiniSearch, sections) {
  const index = new MiniSearch({
    fields: ["title", "page", "text"],
    storeFields: ["page", "title", "text", "weight"],
    searchOptions: {
      boost: { title: 3, page: 2 },
      combineWith: "AND",
      prefix: true,
      fuzzy: (word) => (word.length > 4 ? 1 : false),
      boostDocument: (_id, _word, { weight }) => weight,
    },
  })
  index.addAll(sections)
  return index
}

/** The best sections, with the words around the first one that was found. */
export function searched(index, text, most = 12) {
  return index
    .search(text)
    .slice(0, most)
    .map(({ id, page, title, text: whole, terms }) => {
      return { id, page, title, excerpt: excerptOf(whole, terms) }
    })
}

function excerptOf(text, terms) {
  const lower = text.toLowerCase()
  const found = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const at = found.length === 0 ? 0 : Math.min(...found)
  const start = at < 60 ? 0 : text.indexOf(" ", at - 60) + 1
  const end = start + 160 < text.length ? text.lastIndexOf(" ", start + 160) : text.length
  const part = text.slice(start, end).replace(/\s+/g, " ").trim()
  return `${start === 0 ? "" : "… "}${part}${end < text.length ? " …" : ""}`
}
