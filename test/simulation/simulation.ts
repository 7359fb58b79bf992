import { ApiClient, apiKey, nameOf, readSetupCode } from "../harness/api-client.ts"
import { chance } from "../harness/chance.ts"
import { fingerprintOf } from "../harness/stamper.ts"
import { Acknowledgements } from "./acknowledgements.ts"
import { takeClockJump } from "./clock-jumps.ts"
import { requireContent, usersOf } from "./content.ts"
import { takeForged } from "./forgeries.ts"
import { LogAuditor } from "./log-auditor.ts"
import type { Mutant } from "./mutants.ts"
import { observedOutcome } from "./observed.ts"
import { newOrganization } from "./oracle.ts"
import { requireRecovered } from "./recovered.ts"
import { Requests } from "./requests.ts"
import { type Figures, newFigures } from "./figures.ts"
import { check, requireReady, type Run } from "./run.ts"
import { SimulatedSigner } from "./simulated-signer.ts"
import { takeHeld } from "./held-orders.ts"
import type { Step } from "./steps.ts"
import { takeOrders } from "./take-orders.ts"
import { Tier } from "./tier.ts"

export type Options = { figures: Figures; mutant: Mutant }

/**
 * Runs the steps: a deployment, an untrusted tier, their users, and the oracle that checks every answer.
 * @throws an error that names the step, and the rule that an answer contradicts
 */
export async function simulate(
  seed: string,
  steps: readonly Step[],
  { figures = newFigures(), mutant = {} }: Partial<Options> = {},
): Promise<void> {
  const signer = await SimulatedSigner.open(seed, mutant)
  const run = newRun(seed, signer, { figures, mutant })
  let at = -1
  try {
    for (const name of ["first", "second"]) await createOrganization(run, name)
    for (const [index, step] of steps.entries()) {
      at = index
      await take(run, step)
      requireVersions(run)
      await requireRecovered(run)
    }
    await run.auditor.audit()
    await requireContent(run)
  } catch (cause) {
    throw new Error(`step ${at}: ${(cause as Error).message}`, { cause })
  } finally {
    figures.decisions += run.auditor.decisions
    await signer.close()
  }
}

function newRun(seed: string, signer: SimulatedSigner, { figures, mutant }: Options): Run {
  const auditor = new LogAuditor(signer)
  return {
    signer,
    tier: new Tier(signer, auditor),
    requests: new Requests(seed),
    acknowledgements: new Acknowledgements(signer, figures),
    auditor,
    seen: new Map(),
    figures,
    mutant,
    world: new Map(),
  }
}

async function createOrganization({ signer, tier, requests, world }: Run, name: string): Promise<void> {
  const client = new ApiClient(signer)
  const root = requests.newKey()
  const setupCode = await signer.createSetupCode(root.publicKeyHex)
  const { organizationId } = readSetupCode(setupCode)
  const rootUser = { userName: "root", apiKeys: [apiKey(root)] }
  const parameters = { setupCode, organizationName: name, rootUser }
  const body = client.body("ACTIVITY_TYPE_CREATE_ORGANIZATION", organizationId, parameters)
  const stamp = requests.stamp(root.publicKeyHex, body)
  const answer = await tier.deliver({ body, stamp }, "honest", () => 0)
  if (answer?.case !== "outcome") throw new Error("the organization was not created")
  tier.store(answer.value)
  const [user] = usersOf(tier.document(organizationId))
  const organization = newOrganization(organizationId, user!)
  const outcome = await observedOutcome(answer.value)
  organization.done.set(`${fingerprintOf(body)}/${root.publicKeyHex}`, { outcome, acknowledged: "no" })
  world.set(organizationId, organization)
}

async function take(run: Run, step: Step): Promise<void> {
  const { signer, figures } = run
  switch (step.is) {
    case "orders":
      return takeOrders(run, step)
    case "again":
      return takeAgain(run, step)
    case "held":
      return takeHeld(run, step)
    case "forged":
      return takeForged(run, step)
    case "acknowledge":
      return acknowledge(run, step)
    case "pass":
      await signer.pass(step.ms)
      return run.auditor.audit()
    case "restart":
      await signer.restart()
      return requireReady(run)
    case "clock":
      return takeClockJump(run, step)
    case "rollback":
      return takeRollback(run, step.transactions)
    case "kill":
      figures.kills += 1
      signer.kill()
      await signer.start()
      return requireReady(run)
    default:
      return step satisfies never
  }
}

async function takeAgain(run: Run, { which, actor, manner }: Extract<Step, { is: "again" }>): Promise<void> {
  const { requests, tier, world } = run
  const earlier = requests.earlier(which)
  if (earlier === undefined) return
  const { users } = world.get(earlier.request.organizationId)!
  const others = users.flatMap(({ keys, sessions }) => [...keys, ...sessions])
  // Every third time another user stamps the same body, which is a vote if it waits.
  const publicKey =
    actor % 3 === 0 && others.length > 0
      ? others[actor % others.length]!.publicKey
      : earlier.request.publicKey
  const { body } = earlier.sent
  const prepared = {
    request: { ...earlier.request, publicKey },
    sent: { body, stamp: requests.stamp(publicKey, body) },
  }
  const answer = await tier.deliver(prepared.sent, manner, chance(which))
  if (answer?.case === "outcome") tier.store(answer.value)
  await check(run, [prepared], [answer!])
}

/**
 * Restores the signer to an older state. It must decide nothing for an organization whose newest document it is shown, and afterwards
 * nothing for any organization. With its newest state it must decide again.
 */
async function takeRollback(run: Run, transactions: number): Promise<void> {
  const { signer, tier, requests, world } = run
  await tier.recover()
  await signer.rollBack(transactions)
  const older = [...world.values()].filter(
    ({ organizationId, version }) => signer.version(organizationId) < version,
  )
  for (const { organizationId, users } of older) {
    const { publicKey } = users[0]!.keys[0]!
    const { sent } = requests.ask(organizationId, { is: "create-wallet" }, publicKey, signer.nowMs())
    const answer = await tier.show(organizationId, sent)
    if (answer?.case !== "refused") throw new Error(`an older ledger decided for ${organizationId}`)
    if (signer.phase === "ready")
      throw new Error(`after ${nameOf(answer.value.code)} an older ledger goes on`)
  }
  await signer.rollForward()
  requireReady(run)
}

async function acknowledge(
  { acknowledgements, signer, tier, world }: Run,
  { which, isWritten }: Extract<Step, { is: "acknowledge" }>,
): Promise<void> {
  // The tier acknowledges only outcomes that it has stored.
  await tier.recover()
  const sent = which.map((one) => acknowledgements.send(world, one))
  if (!isWritten) return
  await signer.fireTimers()
  await Promise.all(sent)
}

function requireVersions({ world, signer }: Run): void {
  for (const { organizationId, version } of world.values()) {
    const stored = signer.version(organizationId)
    if (stored !== version)
      throw new Error(`the ledger has version ${stored} of ${organizationId}, not ${version}`)
  }
}
