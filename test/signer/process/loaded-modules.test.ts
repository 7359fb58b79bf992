// A command of the trusted programs loads what it needs: a person waits for each module that a command line loads in vain.
import t from "tap"
import { loadedBy } from "../../harness/loaded-modules.ts"

/** Modules of a command line that runs no command: words, faults, the version. */
const WORDS_ALONE = 30

for (const [program, entry] of [
  ["countersign-signer", "signer/operator/main.ts"],
  ["countersign-fetcher", "signer/fetcher/main.ts"],
  ["countersign-witness", "signer/witness/main.ts"],
] as const) {
  t.test(
    `${program} loads no package and no command for its help, its version and a mistyped word`,
    async (t) => {
      for (const [word, expected] of [
        ["--help", 0],
        ["--version", 0],
        ["stauts", 2],
      ] as const) {
        const { paths, status, text } = loadedBy(entry, [word])
        t.equal(status, expected, word)
        if (word === "--help") t.match(text, /^ {2}doctor +\S/m)
        t.ok(paths.includes(entry), "modules are watched")
        t.ok(paths.length <= WORDS_ALONE, `${word} loads ${paths.length} modules`)
        const heavy = paths.filter((path) =>
          /^node_modules\/|^proto\/gen\/|^signer\/enclave\/|\/config\.ts$/.test(path),
        )
        t.strictSame(heavy, [], word)
      }
    },
  )
}

t.test("C-1903: commands that ask a process load no message of the public API", async (t) => {
  const environment = { COUNTERSIGN_DATA_DIR: t.testdir() }
  for (const [entry, ...words] of [
    ["signer/operator/main.ts", "status"],
    ["signer/operator/main.ts", "pins"],
    ["signer/operator/main.ts", "doctor"],
    ["signer/fetcher/main.ts", "status"],
  ] as const) {
    const { paths } = loadedBy(entry, words, environment)
    t.ok(
      paths.some((path) => path.includes("@bufbuild/protobuf")),
      `${entry} ${words.join(" ")} loads messages`,
    )
    t.strictSame(
      paths.filter((path) => /^proto\/(?:gen\/countersign\/api|codec\/orders)/.test(path)),
      [],
      `${entry} ${words.join(" ")}`,
    )
  }
})

t.test("commands that ask no process load no gRPC", async (t) => {
  const environment = { COUNTERSIGN_DATA_DIR: t.testdir() }
  for (const [entry, ...words] of [
    ["signer/operator/main.ts", "config"],
    ["signer/fetcher/main.ts", "public-key"],
    ["signer/witness/main.ts", "key"],
  ] as const) {
    const { paths } = loadedBy(entry, words, environment)
    t.ok(
      paths.some((path) => path.endsWith("config.ts")),
      `${entry} read its settings`,
    )
    t.notOk(
      paths.some((path) => path.includes("@grpc/")),
      entry,
    )
  }
})
