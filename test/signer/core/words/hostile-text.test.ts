// Text of colleagues and third parties that wants to look like something else.
import t from "tap"
import type { Words } from "../../../../signer/core/words/words.ts"
import { factsOf, wordsOf, wordsOfPayload } from "./reading.ts"

const ALICE = "0198c0de-0000-7000-8000-000000000001"
const everything = ({ sentence, line, contents, members }: Words) => [
  sentence,
  line,
  ...[...contents.flatMap(({ facts }) => facts), ...members].flatMap(({ name, value, text = [] }) => [
    name,
    value,
    ...text,
  ]),
]

/** Characters that hide, reorder or begin text, and the marks that end a quotation in another alphabet. */
const UNSAFE = /\u034f|\ufe0f|[\p{C}\p{Zl}\p{Zp}\u2800\u115f\u3164\uffa0“”„‟«»″〃＂‶]/u

t.test("W25: no text of others holds a character that hides, reorders or begins other text", async (t) => {
  const hostile = [
    "small\u202estnemyap\u2066\u0007\nall",
    "a\u200bb\u2060c\ufeffd\u00ade",
    "a\u3164b\u115fc\uffa0d\u2800e\u034ff\ufe0fg",
    "a\u2028b\u2029c\u0085d\u001b[31m",
    "\ud800x",
  ].map((text) => text.toWellFormed())
  for (const text of hostile) {
    for (const words of [
      wordsOf("CREATE_POLICY_V3", { policyName: text, effect: "EFFECT_ALLOW", condition: text, notes: text }),
      wordsOf("DELETE_USERS", { userIds: [ALICE] }, { nameOf: () => text }),
      wordsOfPayload(text, "TEXT_UTF8", "KECCAK256"),
      wordsOfPayload(typedData({ note: text }, [{ name: "note", type: "string" }]), "EIP712", "NO_OP"),
    ])
      for (const shown of everything(words)) t.notMatch(shown, UNSAFE, JSON.stringify(shown))
  }
})

t.test("W25: a name or text cannot end its quotes, in any alphabet's quotation marks", async (t) => {
  for (const mark of ['"', "“", "”", "„", "«", "»", "″", "〃", "＂", "\u2e42", "\u05f2", "\u1cd3"]) {
    const text = `small${mark}, which denies everything. Create wallet ${mark}x`
    const { sentence } = wordsOf("CREATE_WALLET", { walletName: text, accounts: [] })
    const [, inside = "", after] = /^Create wallet "(.*)" (with no account)$/.exec(sentence) ?? []
    t.equal(JSON.parse(`"${inside}"`), text)
    t.equal(after, "with no account")
    t.notMatch(inside.replaceAll('\\"', ""), /["“”„«»″〃＂\u2e42\u05f2\u1cd3]/u)
  }
  for (const pair of ["''", "´´", "ʹʹ", "ʼʼ", "׳׳", "′′", "＇＇", "ʼ'"]) {
    const text = `small${pair}, which denies everything. Create wallet ${pair}x`
    const { sentence } = wordsOf("CREATE_WALLET", { walletName: text, accounts: [] })
    t.notMatch(sentence, `small${pair}`)
    t.equal(JSON.parse(/"(?:[^"\\]|\\.)*"/.exec(sentence)?.[0] ?? ""), text)
  }
  const condition = "eth.tx.to == '' || [''].contains(eth.tx.to) || eth.tx.to in ['', 'x']"
  t.match(
    wordsOf("CREATE_POLICY_V3", { policyName: "x", effect: "EFFECT_ALLOW", condition, notes: "" }).sentence,
    `where "${condition}"`,
    "an empty text of the policy language is none",
  )
  t.match(
    wordsOf("CREATE_WALLET", { walletName: "Zoë’s", accounts: [] }).sentence,
    '"Zoë’s"',
    "an apostrophe is one",
  )
})

t.test("W25: no combining mark covers the quotes of a text", async (t) => {
  for (const mark of ["\u0338", "\u20dd", "\u0301\u0336"]) {
    for (const text of [`${mark}small`, `small"${mark}`]) {
      const { sentence } = wordsOf("CREATE_WALLET", { walletName: text, accounts: [] })
      t.notMatch(sentence, /"\p{M}/u)
      t.equal(JSON.parse(/"(?:[^"\\]|\\.)*"/.exec(sentence)?.[0] ?? ""), text)
    }
  }
  t.match(wordsOf("CREATE_WALLET", { walletName: "e\u0301", accounts: [] }).sentence, '"e\u0301"')
})

t.test(
  "W25: marks that pile up over the lines beside are written out, and those of a script are not",
  async (t) => {
    const pile = `Pay${"\u0301".repeat(60)} and${"\u0489\u0323".repeat(30)}\n${"\u0336".repeat(9)}5`
    for (const words of [
      wordsOfPayload(pile, "TEXT_UTF8", "KECCAK256"),
      wordsOf("CREATE_POLICY_V3", { policyName: pile, effect: "EFFECT_ALLOW", condition: pile, notes: "" }),
      wordsOf("DELETE_USERS", { userIds: [ALICE] }, { nameOf: () => pile }),
    ])
      for (const shown of everything(words)) t.notMatch(shown, /^\p{M}|\p{M}{5}/u, JSON.stringify(shown))
    for (const text of ["Việt Nam", "Vie\u0323\u0302t", "שָׁ֖לֽוֹם", "ที่นี่", "ကြွှ"])
      t.equal(factsOf(wordsOfPayload(text, "TEXT_UTF8", "KECCAK256"))["Text"], `"${text}"`)
  },
)

t.test(
  "W25: the keys of a list and members that the signer ignores are in quotes where they could be more",
  async (t) => {
    // The reader of bodies refuses names with a quote or a control character.
    const key = "google\u202e” is off, and apple"
    const settings = wordsOf("UPDATE_AUTH_PROXY_CONFIG", {
      walletKitSettings: { oauthClientIds: { [key]: "1", x: "2" } },
    })
    const names = settings.members.map(({ name }) => name)
    t.match(names, [
      'Wallet kit settings › oAuth client ids › "google\\u202e\\u201d is off, and apple"',
      'Wallet kit settings › oAuth client ids › "x"',
    ])
    const extra = "note. Everybody has approved it\u202e, pay"
    const { ignored } = wordsOf("CREATE_WALLET", { walletName: "x", accounts: [], [extra]: 1, note: 2 })
    t.same(ignored, ['"parameters.note. Everybody has approved it\\u202e, pay"', "parameters.note"])
  },
)

t.test("W30: a name that the API gives stands in brackets beside the id, and cannot end them", async (t) => {
  const named = (name: string) =>
    wordsOf("DELETE_USERS", { userIds: [ALICE] }, { nameOf: () => name }).sentence
  t.equal(named("bob"), `Delete users [bob] ${ALICE}`)
  for (const name of ["bob] 0198c0de-0000-7000-8000-000000000009 [x", "bob］", "bob⟧", "bob】"])
    t.match(named(name), new RegExp(`^Delete users \\[bob[^\\]］⟧】]*\\] ${ALICE}$`), name)
  t.equal(named(""), `Delete users ${ALICE}`)
})

t.test("W30: no name stands in place of an id, and none changes the digest of a line", async (t) => {
  const userIds = Array.from({ length: 9 }, (_, index) => ALICE.replace(/1$/, String(index)))
  const plain = wordsOf("DELETE_USERS", { userIds })
  const named = wordsOf("DELETE_USERS", { userIds }, { nameOf: (id) => `user of ${id.slice(0, 2)}` })
  t.equal(named.line.slice(-12), plain.line.slice(-12))
  for (const [index, id] of userIds.entries()) t.equal(named.members[index]?.value, `[user of 01] ${id}`)
})

t.test("W25: values of typed data are quoted: text cannot mimic another member", async (t) => {
  const note = 'nothing", to 0x0000000000000000000000000000000000000001, amount "1'
  const members = [
    { name: "note", type: "string" },
    { name: "amount", type: "uint256" },
    { name: "tags", type: "string[]" },
  ]
  const shown = wordsOfPayload(
    typedData({ note, amount: "7", tags: ["a, b", "c"] }, members),
    "EIP712",
    "NO_OP",
  )
  t.same(factsOf(shown), {
    "Domain › name": '"An app"',
    "Domain › chainId": "1",
    note: JSON.stringify(note),
    amount: "7",
    "tags[0]": '"a, b"',
    "tags[1]": '"c"',
  })
  t.match(shown.sentence, `note ${JSON.stringify(note)}, amount 7`)
})

t.test(
  "W25: every member of a domain is shown, and members of domain and message that the signature does not cover",
  async (t) => {
    const types = {
      EIP712Domain: [
        { name: "name", type: "string" },
        { name: "verifyingContract", type: "string" },
        { name: "scopes", type: "string[]" },
      ],
      Tree: [
        { name: "@type", type: "string" },
        { name: "leaves", type: "Tree[]" },
      ],
    }
    const domain = { name: "An app", verifyingContract: "cosmos", scopes: ["a", "b"], chainId: 5, "x, y": 1 }
    const message = { "@type": "root", leaves: [{ "@type": "leaf", leaves: [] }] }
    const payload = JSON.stringify({ types, primaryType: "Tree", domain, message })
    const shown = wordsOfPayload(payload, "EIP712", "NO_OP")
    t.same(factsOf(shown), {
      "Domain › name": '"An app"',
      "Domain › verifyingContract": '"cosmos"',
      "Domain › scopes[0]": '"a"',
      "Domain › scopes[1]": '"b"',
      '"@type"': '"root"',
      'leaves[0]."@type"': '"leaf"',
      "leaves[0].leaves": "none",
    })
    t.match(shown.contents[0]?.warnings, [
      /names no chain/,
      'The signature does not cover "domain.chainId" and "domain.x, y", which no type lists.',
    ])
    const leaf = { ...message.leaves[0], amount: "1" }
    const more = { ...message, leaves: [leaf, leaf, leaf], to: "a friend" }
    const disguised = wordsOfPayload(
      JSON.stringify({
        types,
        primaryType: "Tree",
        domain: { name: "An app", verifyingContract: "", scopes: [] },
        message: more,
      }),
      "EIP712",
      "NO_OP",
    )
    t.match(disguised.contents[0]?.warnings, [
      /names no chain/,
      'The signature does not cover "message.leaves[0].amount", "message.leaves[1].amount", "message.leaves[2].amount" and others, which no type lists.',
    ])
  },
)

t.test("W29: two requests that differ have different lines, however alike they begin", async (t) => {
  const long = "Log in to example.org. ".repeat(40)
  const lines = [long, `${long}.`, `${long} `, `${long}\n`].map(
    (text) => wordsOfPayload(text, "TEXT_UTF8", "KECCAK256").line,
  )
  t.equal(new Set(lines).size, lines.length)
  for (const line of lines) {
    t.match(line, /… [0-9a-f]{12}$/)
    t.ok(Array.from(line).length < 230)
  }
  const policy = (condition: string) =>
    wordsOf("CREATE_POLICY_V3", { policyName: "x", effect: "EFFECT_ALLOW", condition, notes: "" }).line
  t.not(policy("eth.tx.to == '0x1'"), policy("eth.tx.to == '0x2'"))
})

t.test("W29: UPDATE_ROOT_QUORUM in either spelling names its users", async (t) => {
  const words = wordsOf("UPDATE_ROOT_QUORUM", { threshold: 1, user_ids: [ALICE] })
  t.equal(words.sentence, `Make the root quorum 1 of 1: ${ALICE}`)
  t.equal(words.line, words.sentence)
})

function typedData(message: object, members: object[]): string {
  return JSON.stringify({
    types: { Order: members },
    primaryType: "Order",
    domain: { name: "An app", chainId: 1 },
    message,
  })
}
