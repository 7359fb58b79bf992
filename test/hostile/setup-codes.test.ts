import t from "tap"
import { SetupCodeSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { apiKey, readSetupCode } from "../harness/api-seat.ts"
import { fingerprintOf, newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { allRefused, flips, memoryOf, refused, saysOtherwise, type Stage, stage } from "./stage.ts"

const BIRTH = "ACTIVITY_TYPE_CREATE_ORGANIZATION"

/** A birth with this code; `holder` stamps, `owner` becomes the root user's key. */
function birth({ seat }: Pick<Stage, "seat">, setupCode: string, holder: TestKey, owner = holder) {
  const { organizationId } = readSetupCode(setupCode)
  const rootUser = { userName: "root", apiKeys: [apiKey(owner)] }
  const body = seat.body(BIRTH, organizationId, { setupCode, organizationName: "New", rootUser })
  return { body, xStamp: stampWith(holder, body), organizationId }
}

async function issued(scene: Stage) {
  const key = newKey()
  return { key, setupCode: await scene.boundary.createSetupCode(key.publicKeyHex) }
}

t.test("A4: refuses a stolen setup code", async (t) => {
  const scene = await stage(t)
  const { seat } = scene
  const { key, setupCode } = await issued(scene)
  const thief = newKey()
  const stolen = birth(scene, setupCode, thief)
  await refused(t, scene, "SETUP_CODE_OF_ANOTHER_KEY", () => seat.offer(stolen.body, stolen.xStamp))
  const honest = birth(scene, setupCode, key)
  const withThief = honest.body.replace(key.publicKeyHex, thief.publicKeyHex)
  await refused(t, scene, "STAMP_INVALID", () => seat.offer(withThief, honest.xStamp), "root key exchanged")
  const renamed = honest.body.replace('"New"', '"Old"')
  await refused(t, scene, "STAMP_INVALID", () => seat.offer(renamed, honest.xStamp), "name exchanged")
  const posing = stampWith({ ...thief, publicKeyHex: key.publicKeyHex }, honest.body)
  await refused(t, scene, "STAMP_INVALID", () => seat.offer(honest.body, posing), "stamped by the thief")
  t.match(await seat.send(honest.body, key), { is: "outcome" })
})

t.test("A4: refuses a setup code of which any byte was altered", async (t) => {
  const scene = await stage(t)
  const { seat } = scene
  const { key, setupCode } = await issued(scene)
  const honest = birth(scene, setupCode, key)
  const issuedBytes = Buffer.from(setupCode, "base64url")
  const codes = saysOtherwise(SetupCodeSchema, issuedBytes, flips(issuedBytes)).map((bytes) =>
    Buffer.from(bytes).toString("base64url"),
  )
  const attempt = (code: string) => {
    const body = honest.body.replace(setupCode, code)
    return seat.offer(body, stampWith(key, body))
  }
  await allRefused(t, scene, "SETUP_CODE_INVALID", [...codes, "AAAA", "no code"], attempt)
  t.match(await seat.send(honest.body, key), { is: "outcome" })
})

t.test("A4: refuses a setup code for another organization id, and one of another deployment", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const { key, setupCode } = await issued(scene)
  const honest = birth(scene, setupCode, key)
  const over = honest.body.replace(honest.organizationId, acme.organizationId)
  await refused(
    t,
    scene,
    "SETUP_CODE_INVALID",
    () => seat.offer(over, stampWith(key, over)),
    "one that is there",
  )
  const elsewhere = await stage(t)
  const foreign = birth(scene, await elsewhere.boundary.createSetupCode(key.publicKeyHex), key)
  await refused(t, scene, "SETUP_CODE_INVALID", () => seat.offer(foreign.body, foreign.xStamp))
  t.match(await seat.send(honest.body, key), { is: "outcome" })
})

t.test("A4: refuses a setup code when its time has passed, also after a restart", async (t) => {
  const scene = await stage(t)
  const { boundary, seat } = scene
  const key = newKey()
  const setupCode = await boundary.createSetupCode(key.publicKeyHex, 60)
  boundary.clock.pass(60_000)
  const late = birth(scene, setupCode, key)
  await refused(t, scene, "SETUP_CODE_EXPIRED", () => seat.offer(late.body, late.xStamp))
  boundary.clock.setWall(boundary.clock.wallMs() - 120_000)
  await boundary.restart()
  await refused(
    t,
    scene,
    "SETUP_CODE_EXPIRED",
    () => seat.offer(late.body, late.xStamp),
    "with a clock set back",
  )
})

t.test("A1: one setup code creates one organization, whatever is sent at once or later", async (t) => {
  const scene = await stage(t)
  const { boundary, seat } = scene
  const { key, setupCode } = await issued(scene)
  const births = Array.from({ length: 20 }, () => birth(scene, setupCode, key, newKey()))
  const answers = await Promise.all(births.map(({ body, xStamp }) => seat.offer(body, xStamp)))
  const born = answers.flatMap((answer, index) => (answer.is === "outcome" ? [index] : []))
  t.equal(born.length, 1, "of twenty different births at once")
  const others = answers.filter((answer) => answer.is !== "outcome")
  t.ok(others.every((answer) => answer.is === "refused" && answer.code === "SETUP_CODE_SPENT"))
  const first = births[born[0]!]!
  const remembered = memoryOf(scene)
  t.same(await seat.offer(first.body, first.xStamp), answers[born[0]!], "the same body: the same birth")
  t.equal(memoryOf(scene), remembered)
  await seat.acknowledge(first.organizationId, fingerprintOf(first.body), key.publicKeyHex)
  for (const when of ["once acknowledged", "after a restart"]) {
    await refused(t, scene, "SETUP_CODE_SPENT", () => seat.offer(first.body, first.xStamp), when)
    const second = birth(scene, setupCode, key)
    await refused(t, scene, "SETUP_CODE_SPENT", () => seat.offer(second.body, second.xStamp), `${when}, anew`)
    await boundary.restart()
  }
})

t.test("A1: no organization is created without a setup code", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const rootUser = { userName: "root", apiKeys: [apiKey(acme.root)] }
  const parameters = { setupCode: "none", organizationName: "New", rootUser }
  const body = seat.body(BIRTH, acme.rootUserId, parameters)
  await refused(t, scene, "SETUP_CODE_INVALID", () => seat.offer(body, stampWith(acme.root, body)))
  t.equal(scene.boundary.signer.work().ledger.head(acme.rootUserId), undefined)
})
