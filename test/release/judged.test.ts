// Images, lists of components and provenance of a release, judged by programs and schemas of others.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv } from "ajv"
import t from "tap"
import { IMAGE_USER, IMAGES } from "../../scripts/release/images.ts"
import { ROOT } from "../architecture/sources.ts"
import { readStages, stagesOf } from "../harness/dockerfile.ts"
import { canBuildImages, git, hasProgram, sharedRelease, temporaryFolder } from "../harness/release.ts"

type Json = { [member: string]: unknown }

const folder = temporaryFolder(t, "judged")
const { checkout, out } = sharedRelease()
const hasDebian = canBuildImages()
const names = readdirSync(out)
const file = (end: string) => join(out, names.find((name) => name.endsWith(end)) ?? "missing")
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Json

t.test("lists of components follow the schema of CycloneDX, and name what the archive has", async (t) => {
  const schemaOf = (name: string) => readJson(join(ROOT, "test/vectors/published", `cyclonedx-${name}.json`))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  // The names by which the schema refers to its parts.
  for (const name of ["spdx", "jsf-0.82"])
    ajv.addSchema({ ...schemaOf(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` })
  const validate = ajv.compile(schemaOf("bom-1.5"))
  const boms = names.filter((name) => name.endsWith(".cdx.json")).map((name) => readJson(join(out, name)))
  t.equal(boms.length, hasDebian ? 3 : 2)
  for (const bom of boms) t.ok(validate(bom), JSON.stringify(validate.errors?.slice(0, 3)))
  t.notOk(validate({ ...boms[0], specVersion: 1 }), "the schema sees a fault")
  const components = readJson(file(`signer-${process.platform}-${process.arch}.cdx.json`))[
    "components"
  ] as Json[]
  const named = components.map(({ name }) => String(name))
  for (const name of ["node", "@noble/curves", "secp256k1", "protobufjs"]) t.ok(named.includes(name), name)
  t.notOk(named.includes("koa"))
  const hashed = components.filter(({ hashes }) => Array.isArray(hashes))
  t.equal(hashed.length, components.length, "each component has a digest")
})

const python = "from in_toto_attestation.v1.statement import Statement"
const hasInToto = hasProgram("python3", "-c", python)

t.test("provenance names each file with its digest, and the commit", async (t) => {
  const statement = readJson(file(".provenance.json"))
  const subject = statement["subject"] as { name: string; digest: { sha256: string } }[]
  const sums = readFileSync(join(out, "SHA256SUMS"), "utf8")
  for (const { name, digest } of subject) t.ok(sums.includes(`${digest.sha256}  ${name}\n`), name)
  t.equal(subject.length, sums.trim().split("\n").length - 1, "every file but itself")
  t.match(JSON.stringify(statement), git(checkout, "rev-parse", "HEAD").trim())
  await t.test(
    "judged by in-toto's own reader",
    { skip: hasInToto ? false : "not run: no in-toto-attestation" },
    async (t) => {
      const program = `
import json, sys
from google.protobuf.json_format import Parse, ParseDict
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
text = sys.stdin.read()
parsed = Parse(text, statement_pb2.Statement())
Statement.copy_from_pb(parsed).validate()
ParseDict(json.loads(text)["predicate"], provenance_pb2.Provenance())
print("valid")`
      const judge = (text: string) => spawnSync("python3", ["-c", program], { input: text, encoding: "utf8" })
      t.match(judge(JSON.stringify(statement)), { stdout: "valid\n", status: 0 })
      t.not(judge(JSON.stringify({ ...statement, subject: [] })).status, 0, "the judge sees a fault")
      const { predicate } = statement as { predicate: Json }
      t.not(judge(JSON.stringify({ ...statement, predicate: { ...predicate, unknown: 1 } })).status, 0)
    },
  )
})

t.test("images start what those of the Dockerfile start, with the same settings", async (t) => {
  const stages = readStages()
  for (const [zone, { command, environment, folders, port }] of Object.entries(IMAGES)) {
    const own = stagesOf(zone, stages).at(-1)
    t.strictSame(["node", "--disable-sigusr1", ...command], own?.command, zone)
    const text =
      readFileSync(join(ROOT, "Dockerfile"), "utf8")
        .split(new RegExp(`^FROM base AS ${zone}$`, "m"))[1]
        ?.split(/^FROM /m)[0] ?? ""
    const written = Object.fromEntries(
      [...text.matchAll(/(COUNTERSIGN_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    )
    t.strictSame(environment, written, zone)
    t.equal(port, text.includes("EXPOSE") ? Number(/EXPOSE (\d+)/.exec(text)?.[1]) : undefined, zone)
    const made = /install -d -o 10001 -g 10001 -m 0700 (.+)$/m.exec(text)?.[1]?.split(" ") ?? []
    t.strictSame(
      folders.map((path) => `/${path}`),
      made,
      zone,
    )
  }
})

const skopeo = hasDebian ? (hasProgram("skopeo") ? false : "not run: no skopeo") : "long form on Debian"

t.test(
  "in the long form the images are an OCI layout that skopeo reads and copies whole",
  { skip: skopeo },
  async (t) => {
    const archive = file(".oci.tar")
    const run = (...words: string[]) => spawnSync("skopeo", words, { encoding: "utf8" })
    for (const zone of ["signer", "worker"]) {
      const config = JSON.parse(run("inspect", "--config", `oci-archive:${archive}:${zone}`).stdout) as Json
      t.match(config, { config: { User: `${IMAGE_USER}:${IMAGE_USER}`, WorkingDir: "/app" }, os: "linux" })
      const copy = join(folder, `copy-${zone}`)
      const { status, stderr } = run(
        "--insecure-policy",
        "copy",
        `oci-archive:${archive}:${zone}`,
        `dir:${copy}`,
      )
      t.equal(status, 0, stderr)
      t.ok(existsSync(join(copy, "manifest.json")))
      const layers = (readJson(join(copy, "manifest.json"))["layers"] as { digest: string }[]).map(
        ({ digest }) => digest.slice(7),
      )
      const listed = layers.map(
        (name) => spawnSync("tar", ["tvf", join(copy, name), "--numeric-owner"], { encoding: "utf8" }).stdout,
      )
      t.match(listed[0], /app\/bin\/node\n/)
      t.match(listed[0], /libc\.so\.6\n[^]*copyright\n/)
      t.notMatch(listed[0], /bin\/(?:sh|bash|npm)\n/, "no shell and no npm")
      if (zone === "signer")
        t.match(listed[1], /drwx------ 10001\/10001 +0 \S+ \S+ var\/lib\/countersign\/\n/)
      t.notMatch(listed[1], /app\/bin\/node\n/, "Node is in the layer that images share")
    }
    t.not(run("inspect", `oci-archive:${archive}:api`).status, 0, "an image that was not built")
  },
)
