import t from "tap"
import { coloured } from "../../../../services/api/guides/code-colours.ts"
import { addressOfLink, type GuidePage, guidePages } from "../../../../services/api/guides/guide-pages.ts"
import { render } from "../../../../services/api/guides/render.ts"
import { sectionsOf } from "../../../../services/api/guides/search-sections.ts"

const bodyOf = async (text: string, file = "docs/index.md") => (await render(text, file)).body.html

t.test("links of a document lead to pages of this host; those to the source code become words", async (t) => {
  for (const [target, file, address] of [
    ["clients.md#pins-apply", "docs/index.md", "/docs/clients#pins-apply"],
    ["../README.md#start", "docs/index.md", "/docs/start#start"],
    ["../signer/README.md", "docs/index.md", undefined],
    ["api.md#x", "docs/index.md", "/docs/api"],
    ["#f", "docs/index.md", "#f"],
    ["https://example.org/a.md", "docs/index.md", "https://example.org/a.md"],
    ["docs/clients.md", "README.md", "/docs/clients"],
    ["docs/", "README.md", undefined],
    ["docs/adr/", "README.md", "/docs/adr/README"],
    ["README.md", "docs/quickstart.md", "/docs/"],
    ["../policies.md", "docs/formats/seal.md", "/docs/policies"],
    ["stamp.md", "docs/formats/seal.md", "/docs/formats/stamp"],
    ["signing.md", "docs/choices/policies.md", "/docs/choices/signing"],
  ] as const)
    t.equal(addressOfLink(target, file), address, `${target} in ${file}`)
  t.equal(
    await bodyOf("[a](stamp.md)", "docs/formats/seal.md"),
    '<p><a href="/docs/formats/stamp">a</a></p>\n',
  )
  t.equal(await bodyOf("[`c`](../signer/README.md)"), "<p><code>c</code></p>\n")
})

t.test("what looks like an element in a document is text; comments are left out", async (t) => {
  t.equal(
    await bodyOf("a `<b>` c < d controls.<name> <!-- e -->"),
    "<p>a <code>&lt;b&gt;</code> c &lt; d controls.&lt;name&gt; </p>\n",
  )
  t.equal(await bodyOf("<!-- generated -->\n\na"), "<p>a</p>\n")
  t.equal(await bodyOf("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;\n")
  const code = await bodyOf('```ts\nconst a = "<b>" // [a](../x.md)\n```')
  t.match(code, '<span class="k">const</span> a = <span class="s">&quot;&lt;b&gt;&quot;</span>')
  t.match(code, '<span class="c">// [a](../x.md)</span>')
})

t.test(
  "headings have the anchors of the usual hosts, and a second one of the same words a number",
  async (t) => {
    const { headings, body } = await render(
      "# A `b` & <c>\n\n## D_e - f\n\n## D_e - f\n\n```text\n## g\n```\n",
      "docs/x.md",
    )
    t.strictSame(headings, [
      { depth: 1, title: "A b & <c>", anchor: "a-b--c" },
      { depth: 2, title: "D_e - f", anchor: "d_e---f" },
      { depth: 2, title: "D_e - f", anchor: "d_e---f-1" },
    ])
    for (const { anchor } of headings) t.ok(body.html.includes(` id="${anchor}"`), anchor)
  },
)

t.test("code keeps its text, whatever is coloured in it", async (t) => {
  const code = "a // 'b'\nimport x from \"y\" /* z\n */ `q ${1}`\n# not a comment\n'unfinished"
  for (const language of ["ts", "shell", "yaml", "python", "go", "rust", "text", "unknown"]) {
    const shown = coloured(code, language).html
    const text = shown
      .replace(/<[^>]*>/g, "")
      .replace(/&quot;/g, '"')
      .replace(/&#39;/g, "'")
    t.equal(text, code, language)
  }
  t.match(coloured("npm start # it", "shell").html, '<span class="c"># it</span>')
  t.match(coloured("name: x", "yaml").html, '<span class="k">name</span>')
  t.notMatch(coloured("a.catch(b)", "ts").html, /<span/)
})

t.test("a section has the anchor that the page gives it, and no signs of Markdown", async (t) => {
  const page = guidePages.find(({ address }) => address === "/docs/quickstart") as GuidePage
  const text =
    "# A\n\nb [c\nl](d.md) `e`\n\n## F\n\n| g | h |\n|---|---|\n\n```shell\n# i\n```\n\n## F\n\nj\n"
  t.strictSame(
    sectionsOf(text, page).map(({ id, title, text }) => [id, title, text.trim().replace(/\s+/g, " ")]),
    [
      ["/docs/quickstart", "A", "b c l e"],
      ["/docs/quickstart#f", "F", "g h # i"],
      ["/docs/quickstart#f-1", "F", "j"],
    ],
  )
})
