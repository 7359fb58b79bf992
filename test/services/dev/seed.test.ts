import { randomUUID } from "node:crypto"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { create, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { SetupCodeSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { layout } from "../../../services/dev/layout.ts"
import { requireUsableKeys, seed } from "../../../services/dev/seed.ts"
import { bindKey, readKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { readSettings } from "../../../services/terminal-client/settings.ts"
import { pinsDigest } from "../../../signer/core/proof/verify/trusted-pins.ts"
import { type Answer, fakeApi } from "../cli/fake-api.ts"

const pins = { deploymentId: randomUUID(), signerPublicKey: "04aa", notarizerPublicKey: "04bb" }

/** An API that remembers; `failAfter` counts the changes it still carries out, the next is done but not answered. */
function rememberingApi(world: World): Record<string, (body: string) => Answer> {
  const done = (result: object): Answer => {
    if (world.failAfter-- <= 0) return { status: 500, reply: { code: 13, message: "the lights went out" } }
    return {
      reply: { activity: { status: "ACTIVITY_STATUS_COMPLETED", result: { result } } },
    }
  }
  const known = () => world.organizations.size > 0
  const listed = (userName: string) => {
    const publicKey = world.publicKeys.get(userName) ?? ""
    return { userName, apiKeys: [{ credential: { publicKey } }] }
  }
  const queries = {
    whoami: () => known() && { organizationId: "", userId: "u-root" },
    list_users: () => known() && { users: world.users.map(listed) },
    list_wallets: () =>
      known() && { wallets: world.wallets.map((walletName) => ({ walletName, walletId: "w-1" })) },
    list_wallet_accounts: () => known() && { accounts: [{ address: "0xfirst" }] },
  }
  const changes = {
    create_organization: (body: string) => {
      const { organizationId, parameters } = JSON.parse(body)
      world.organizations.add(organizationId)
      world.users = ["root"]
      world.publicKeys.set("root", parameters.rootUser.apiKeys[0].publicKey)
      return done({ organizationId, userId: "u-root" })
    },
    create_users: (body: string) => {
      for (const { userName, apiKeys } of JSON.parse(body).parameters.users) {
        world.users.push(userName)
        world.publicKeys.set(userName, apiKeys[0].publicKey)
      }
      return done({ userIds: [] })
    },
    create_wallet: (body: string) => {
      world.wallets.push(JSON.parse(body).parameters.walletName)
      return done({ walletId: "w-1" })
    },
  }
  const refusal = (status: number, message: string, reason: string): Answer => {
    return { status, reply: { code: 5, message, details: [{ reason, metadata: {} }] } }
  }
  const unknown = refusal(400, "organization not found", "ORGANIZATION_UNKNOWN")
  const foreign = refusal(401, "could not find public key", "CREDENTIAL_UNKNOWN")
  return Object.fromEntries([
    ["/public/v1/pins", () => ({ reply: pins })],
    ...Object.entries(queries).map(([name, answer]) => [
      `/public/v1/query/${name}`,
      () => (world.isForeign ? foreign : answer() ? { reply: answer() } : unknown),
    ]),
    ...Object.entries(changes).map(([name, answer]) => [`/public/v1/submit/${name}`, answer]),
  ])
}

type World = {
  organizations: Set<string>
  users: string[]
  publicKeys: Map<string, string>
  wallets: string[]
  failAfter: number
  /** The caller's key is unknown. */
  isForeign: boolean
}

async function setUp(t: Test) {
  const world: World = {
    organizations: new Set(),
    users: [],
    publicKeys: new Map(),
    isForeign: false,
    wallets: [],
    failAfter: Number.POSITIVE_INFINITY,
  }
  const { url, seen } = await fakeApi(t, rememberingApi(world))
  const COUNTERSIGN_DATA_DIR = t.testdir({ signer: { "root-seed": "" } })
  const settings = readSettings({ COUNTERSIGN_DATA_DIR })
  const places = layout(COUNTERSIGN_DATA_DIR)
  const operator = {
    status: async () => ({ phase: "READY", explanation: "" }),
    acceptClock: async () => undefined,
    setupCode: async (publicKey: string) => {
      const fields = { organizationId: randomUUID(), publicKey, expiresAtMs: BigInt(Date.now() + 60_000) }
      const digest = Buffer.from(pinsDigest(pins as never), "hex")
      const init = { ...fields, pinsDigest: digest, mac: Buffer.alloc(32) }
      return Buffer.from(toBinary(SetupCodeSchema, create(SetupCodeSchema, init))).toString("base64url")
    },
  }
  const said: string[] = []
  const log = (line: string) => void said.push(line)
  return {
    world,
    seen,
    said,
    settings,
    places,
    run: () => seed({ client: { url }, operator, settings, layout: places, log }),
  }
}

t.test("the seed creates organization Dev once", async (t) => {
  const { world, seen, said, settings, places, run } = await setUp(t)
  const first = await run()
  t.match(first, { users: ["root", "backend", "alice", "bob"], walletId: "w-1", address: "0xfirst" })
  t.same(world.users, first.users)
  t.same([...world.organizations], [first.organizationId])
  const before = seen.length
  t.same(await run(), first)
  t.same(
    seen.slice(before).map(({ path }) => path),
    ["/public/v1/query/whoami", "/public/v1/query/list_users"],
  )
  t.same(said, [])
  t.same(JSON.parse(readFileSync(settings.pinsFile, "utf8")), pins)
  t.equal((await readKey(settings.keysFolder, "bob")).organizationId, first.organizationId)
  t.notOk(existsSync(places.seedProgress))
})

for (const survived of [0, 1, 2]) {
  t.test(
    `the seed continues after a failure behind ${survived} answered changes, and repeats none`,
    async (t) => {
      const { world, places, run } = await setUp(t)
      world.failAfter = survived
      await t.rejects(run(), { message: "the lights went out" })
      t.notOk(existsSync(places.seeded), "the mark is written last")
      world.failAfter = Number.POSITIVE_INFINITY
      const { organizationId } = await run()
      t.same([...world.organizations], [organizationId])
      t.same(world.users, ["root", "backend", "alice", "bob"])
      t.same(world.wallets, ["First"])
    },
  )
}

t.test("the seed sends the same body again if the creation got no answer", async (t) => {
  const { world, seen, run } = await setUp(t)
  world.failAfter = 0
  await t.rejects(run())
  world.organizations.clear()
  world.failAfter = Number.POSITIVE_INFINITY
  await run()
  const bodies = seen.filter(({ path }) => path.endsWith("create_organization")).map(({ body }) => body)
  t.equal(bodies.length, 2)
  t.equal(new Set(bodies).size, 1)
})

t.test("the seed reports that the database no longer knows the organization", async (t) => {
  const { world, run } = await setUp(t)
  await run()
  world.organizations.clear()
  await t.rejects(run(), { message: /neither in this database.*restore.*delete.*--reset/ })
})

t.test("a missing key of root is reported and never replaced", async (t) => {
  const { seen, settings, places, run } = await setUp(t)
  const { organizationId } = await run()
  const before = seen.length
  rmSync(settings.keysFolder, { recursive: true })
  const message = new RegExp(
    `key of user root is missing.*Dev ${organizationId}.*restore \\S+/keys/root\\.private\\..*delete.*--reset`,
  )
  await t.rejects(run(), { message })
  await t.rejects(requireUsableKeys(settings, places, false), { message }, "before anything is started")
  t.notOk(existsSync(settings.keysFolder))
  t.equal(seen.length, before, "nothing was asked")
})

t.test("a missing root seed is reported before a new one is created", async (t) => {
  const { settings, places, run } = await setUp(t)
  await requireUsableKeys(settings, places, true)
  rmSync(places.signerSeed)
  await requireUsableKeys(settings, places, true)
  const { organizationId } = await run()
  await t.rejects(requireUsableKeys(settings, places, false), {
    message: new RegExp(
      `Dev ${organizationId} is sealed with it: restore \\S+/root-seed and \\S+/ledger,.*delete.*--reset`,
    ),
  })
})

t.test("a key file whose name only begins with root is not used as root's", async (t) => {
  const { settings, run } = await setUp(t)
  await run()
  const at = (name: string) => join(settings.keysFolder, name)
  renameSync(at("root.private"), at("root-old.private"))
  await t.rejects(run(), { message: /key of user root is missing/ })
})

t.test("a key that is no longer root's and a missing organization are reported differently", async (t) => {
  const { world, run } = await setUp(t)
  await run()
  world.isForeign = true
  await t.rejects(run(), {
    message:
      /key of user root has changed.*could not find public key.*restore \S+root\.private.*delete.*--reset/,
  })
})

t.test("a missing or changed key of another user is reported at each start, and not replaced", async (t) => {
  const { world, said, settings, run } = await setUp(t)
  await run()
  rmSync(join(settings.keysFolder, "alice.private"))
  world.publicKeys.set("bob", "02aa")
  world.users = world.users.filter((name) => name !== "backend")
  rmSync(join(settings.keysFolder, "backend.private"))
  await run()
  t.match(said, [
    /key of user alice is missing: restore \S+alice\.private to stamp as alice/,
    /key of user bob has changed: restore \S*bob\.private/,
  ])
  t.equal(said.length, 2, "a user who was deleted needs no key")
  t.notOk(readdirSync(settings.keysFolder).includes("alice.private"))
})

t.test("an unfinished creation is not continued with other keys", async (t) => {
  const { world, settings, run } = await setUp(t)
  world.failAfter = 1
  await t.rejects(run())
  rmSync(join(settings.keysFolder, "bob.private"))
  await t.rejects(run(), { message: /key of user bob is missing/ })
})

t.test("the seed writes its keys to the folder of the command line", async (t) => {
  const { settings, run } = await setUp(t)
  await run()
  for (const name of ["root", "backend", "alice", "bob"]) {
    t.match(readFileSync(join(settings.keysFolder, `${name}.private`), "utf8"), /^[0-9a-f]{64}$/)
  }
})

t.test("the seed refuses a key of another organization, and names both ways to continue", async (t) => {
  const { seen, settings, places, run } = await setUp(t)
  await writeKey(settings.keysFolder, "root", generateApiKey())
  await bindKey(settings.keysFolder, "root", "org-1")
  const message = /key root belongs to organization org-1.*--no-seed.*rename \S*root\.\*/
  await t.rejects(requireUsableKeys(settings, places, true), { message })
  await t.rejects(run(), { message })
  t.same(seen, [])
  await requireUsableKeys(settings, places, false)
})

t.test("the seed reports the use of an existing key", async (t) => {
  const { said, settings, run } = await setUp(t)
  const key = generateApiKey()
  await writeKey(settings.keysFolder, "root", key)
  await run()
  t.match(said, [/^user root of organization Dev gets the existing key root of /])
  t.equal((await readKey(settings.keysFolder, "root")).publicKey, key.publicKey)
})
