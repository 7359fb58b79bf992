// One-time codes of the real fetcher, under an API tier that tries to guess them. Each answer is compared with a model that is written
// from THREAT_MODEL (O1 to O3) and docs/formats/otp.md.
import { createPublicKey } from "node:crypto"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { create } from "@bufbuild/protobuf"
import fc from "fast-check"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  CheckCodeTaskSchema,
  FetchOrderSchema,
  StartCodeTaskSchema,
} from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { requireVerificationToken } from "../../../signer/core/otp/verification-token.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { checkCode } from "../../../signer/fetcher/codes/check-code.ts"
import type { CodeContext } from "../../../signer/fetcher/codes/context.ts"
import { startCode } from "../../../signer/fetcher/codes/start-code.ts"
import { CodeStore } from "../../../signer/fetcher/codes/store.ts"
import { deliveryOf, type Message } from "../../../signer/fetcher/delivery/delivery.ts"
import { identityOf } from "../../../signer/fetcher/identity.ts"
import { TestClock } from "../../harness/clock.ts"
import { seededBytes } from "../seeded.ts"
import { CodesModel } from "./codes-model.ts"

export type CodeStep =
  | {
      is: "start"
      contact: number
      organization: number
      seconds: number
      isDelivered: boolean
      guessesMeanwhile: number
    }
  | { is: "check"; which: number; organization: number; isRight: boolean; isRepeated: boolean }
  | { is: "token"; which: number; organization: number }
  | { is: "pass"; ms: number }
  | { is: "restart" }

/** Two tenants with a sub-organization each. */
export const ORGANIZATIONS = [1, 2, 3, 4].map((number) => `0198c0de-0000-7000-8000-00000000000${number}`)
const parentOf = (organization: number) => ORGANIZATIONS[organization - (organization % 2)]!
const CONTACTS = ["ann@example.com", "Ann@EXAMPLE.com", "bob@example.com"]

const number = fc.nat(1000)
const organization = fc.nat(ORGANIZATIONS.length - 1)

const step: fc.Arbitrary<CodeStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant("start" as const),
      contact: fc.nat(CONTACTS.length - 1),
      organization,
      seconds: fc.constantFrom(60, 300, 600),
      isDelivered: fc.boolean(),
      guessesMeanwhile: fc.nat(4),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant("check" as const),
      which: number,
      organization,
      isRight: fc.boolean(),
      isRepeated: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant("token" as const), which: number, organization }) },
  {
    // Rare, so that codes still live when others are started and the limits of five minutes are reached.
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant("pass" as const),
      ms: fc.constantFrom(1_000, 59_999, 60_000, 300_000, 600_000, 86_400_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ is: "restart" as const }) },
)

export const codeRuns = (maxLength: number): fc.Arbitrary<CodeStep[]> =>
  fc.array(step, { minLength: 1, maxLength, size: "max" })

const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
const TOKEN_SECONDS = 900

/** @throws an error that names the step, and the rule that an answer contradicts */
export async function simulateCodes(seed: string, steps: readonly CodeStep[]): Promise<void> {
  const simulation = new CodesSimulation(seed)
  let at = -1
  try {
    for (const [index, each] of steps.entries()) {
      at = index
      await simulation.take(each)
    }
  } catch (cause) {
    throw new Error(`step ${at}: ${(cause as Error).message}`, { cause })
  } finally {
    simulation.close()
  }
}

type SentCode = { otpId: string; code: string; token: string; uses: Uint8Array[] }

class CodesSimulation {
  readonly #clock = new TestClock()
  readonly #directory = mkdtempSync(join(MEMORY, "countersign-codes-"))
  readonly #identity
  readonly #random
  readonly #model = new CodesModel()
  readonly #sentCodes: SentCode[] = []
  #store: CodeStore
  #activities = 0
  #isDelivered = true
  #whileSent: () => Promise<void> = async () => {}
  #newest = ""
  #faultWhileSent: Error | undefined

  constructor(seed: string) {
    this.#random = seededBytes(`${seed}, codes`)
    this.#identity = identityOf(Secret.moveFrom(Buffer.from(this.#random(32))))
    this.#store = this.#open()
  }

  close(): void {
    this.#store.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  async take(step: CodeStep): Promise<void> {
    switch (step.is) {
      case "start":
        return this.#start(step)
      case "check":
        return this.#check(step)
      case "token":
        return this.#useToken(step)
      case "pass":
        return this.#clock.pass(step.ms)
      case "restart":
        this.#store.close()
        this.#store = this.#open()
        return undefined
      default:
        return step satisfies never
    }
  }

  async #start(step: Extract<CodeStep, { is: "start" }>): Promise<void> {
    const { organization, contact, seconds, isDelivered, guessesMeanwhile } = step
    const order = create(FetchOrderSchema, { organizationId: ORGANIZATIONS[organization]! })
    const task = create(StartCodeTaskSchema, {
      activityFingerprint: this.#activity(),
      parentId: parentOf(organization),
      channel: OtpType.EMAIL,
      contact: CONTACTS[contact]!,
      length: 6,
      alphanumeric: true,
      lifetimeSeconds: seconds,
    })
    const nowMs = this.#clock.wallMs()
    const started = { ...step, parent: task.parentId, contact: task.contact.toLowerCase(), nowMs }
    let id: string | undefined
    this.#isDelivered = isDelivered
    this.#whileSent = async () => {
      // Another order of the same activity learns the code's id while the message is on its way.
      id = await this.#idOf(startCode(order, task, this.#context()))
      this.#model.started(id, started)
      this.#sentCodes.push({ otpId: id, code: this.#newest, token: "", uses: [] })
      for (let guess = 0; guess < guessesMeanwhile; guess++)
        this.#guess(this.#sentCodes.length - 1, organization, false, this.#activity())
    }
    const mayStart = this.#model.mayStart(started)
    const answer = await attempt(() => this.#idOf(startCode(order, task, this.#context())))
    if (this.#faultWhileSent !== undefined) throw this.#faultWhileSent
    if (!mayStart)
      return requireRefused(answer, "OTP_LIMIT_EXCEEDED", "a code beyond the limit of its contact")
    if (id === undefined) throw new Error(`a code was not sent: ${shown(answer)}`)
    if (isDelivered) return requireValue(answer, id, "a code that was sent")
    this.#model.undelivered(id)
    requireRefused(answer, "OTP_DELIVERY_FAILED", "a code whose message failed")
  }

  #check({ which, organization, isRight, isRepeated }: Extract<CodeStep, { is: "check" }>): void {
    if (this.#sentCodes.length === 0) return
    const index = which % this.#sentCodes.length
    const { uses } = this.#sentCodes[index]!
    const activity = (isRepeated ? uses.at(-1) : undefined) ?? this.#activity()
    this.#guess(index, organization, isRight, activity)
  }

  #guess(index: number, organization: number, isRight: boolean, activity: Uint8Array): void {
    const made = this.#sentCodes[index]!
    const order = create(FetchOrderSchema, { organizationId: ORGANIZATIONS[organization]! })
    const task = create(CheckCodeTaskSchema, {
      activityFingerprint: activity,
      otpId: made.otpId,
      evidence: { case: "plain", value: { code: isRight ? made.code : otherThan(made.code), publicKey: "" } },
      tokenLifetimeSeconds: TOKEN_SECONDS,
    })
    const nowMs = this.#clock.wallMs()
    const given = { organization, isRight, activity: Buffer.from(activity).toString("hex"), nowMs }
    const verdict = this.#model.check(made.otpId, given)
    made.uses.push(activity)
    let answer: Answer
    try {
      const { value } = checkCode(order, task, this.#context()) as { value: { verificationToken: string } }
      answer = { value: value.verificationToken }
    } catch (error) {
      answer = refusalOf(error)
    }
    if (verdict === "wrong") return requireRefused(answer, "OTP_CODE_INVALID", "an attempt that must fail")
    if (!("value" in answer)) throw new Error(`a right code was refused: ${answer.code}`)
    // ECDSA signatures differ each time, so only the claims are compared.
    if (verdict === "again")
      return requireValue(
        { value: claimsOf(answer.value) },
        claimsOf(made.token),
        "the claims of a repeated attempt",
      )
    made.token = answer.value
  }

  /** A token is valid in its organization and in the sub-organizations of that, until it expires. */
  #useToken({ which, organization }: Extract<CodeStep, { is: "token" }>): void {
    const made = this.#sentCodes.filter(({ token }) => token !== "")
    const one = made[which % Math.max(1, made.length)]
    if (one === undefined) return
    const nowMs = this.#clock.wallMs()
    const organizationIds = [...new Set([ORGANIZATIONS[organization]!, parentOf(organization)])]
    const fetcherKey = createPublicKey(this.#identity.keySet.sign)
    let answer: Answer
    try {
      const { contact } = requireVerificationToken(one.token, {
        organizationIds,
        fetcherKey,
        nowMs,
        field: "f",
      })
      answer = { value: contact.toLowerCase() }
    } catch (error) {
      answer = refusalOf(error)
    }
    const contact = this.#model.provenBy(one.otpId, organizationIds, nowMs)
    if (contact === undefined)
      return requireRefused(
        answer,
        "VERIFICATION_TOKEN_INVALID",
        "a token that is not valid here, or has expired",
      )
    requireValue(answer, contact, "a token")
  }

  #activity(): Uint8Array {
    const bytes = new Uint8Array(32)
    new DataView(bytes.buffer).setUint32(0, (this.#activities += 1))
    return bytes
  }

  async #idOf(stated: ReturnType<typeof startCode>): Promise<string> {
    const { value } = (await stated) as { value: { otpId: string } }
    return value.otpId
  }

  #open(): CodeStore {
    return CodeStore.open(join(this.#directory, "codes.sqlite"), this.#identity.codeKeys.store)
  }

  #context(): CodeContext {
    const { keySet, codeKeys: keys } = this.#identity
    const send = async (message: Message) => {
      try {
        const { sequence, durableSequence } = this.#store
        if (durableSequence < sequence) throw new Error("a message left before its code was durable")
        this.#newest = /\b[0-9A-Z]{6}\b/.exec(message.text)![0]
        await this.#whileSent()
      } catch (fault) {
        // Delivery turns every error into a failed message, which would hide a fault of the simulation.
        this.#faultWhileSent ??= fault as Error
      }
      if (!this.#isDelivered) throw new Error("451 try again later")
    }
    return {
      store: this.#store,
      keys,
      keySet,
      delivery: deliveryOf({ send }, undefined),
      sandboxContacts: false,
      nowMs: () => this.#clock.wallMs(),
      random: this.#random,
      orderRow: {
        kind: "order",
        key: this.#activity().subarray(0, 16),
        expiresMs: 0,
        value: new Uint8Array(0),
      },
    }
  }
}

type Answer = { value: string } | { code: string }

async function attempt(run: () => Promise<string>): Promise<Answer> {
  try {
    return { value: await run() }
  } catch (error) {
    return refusalOf(error)
  }
}

function refusalOf(error: unknown): { code: string } {
  if (error instanceof Refusal) return { code: error.code }
  throw error
}

const shown = (answer: Answer) => ("value" in answer ? "accepted" : answer.code)

function requireRefused(answer: Answer, code: string, what: string): void {
  if (!("code" in answer) || answer.code !== code) throw new Error(`${what}: ${shown(answer)}, not ${code}`)
}

function requireValue(answer: Answer, value: string, what: string): void {
  if (!("value" in answer) || answer.value !== value)
    throw new Error(`${what}: ${shown(answer)}, or another value`)
}

const claimsOf = (token: string) => token.slice(0, token.lastIndexOf("."))

/** Differs from the code in its first character. */
const otherThan = (code: string) => (code.startsWith("2") ? "3" : "2") + code.slice(1)
