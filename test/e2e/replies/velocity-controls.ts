// Velocity controls: published clients create, read and delete them.
import { encodeFunctionData, parseAbi, serializeTransaction } from "viem"
import { httpOf } from "../../clients/published.ts"
import { signParams, userParams } from "../../harness/api-client.ts"
import { newKey } from "../../harness/stamper.ts"
import type { Json } from "../../harness/system.ts"
import { aggregation, transfers, velocityControl } from "../../harness/velocity.ts"
import { wallet } from "../wallets.ts"
import type { Sequence } from "./sequence.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

const once = aggregation({ method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT", threshold: "1" })

export const velocityControls: Sequence = {
  title: "velocity controls, over HTTP:",
  run: async (t, api) => {
    const { system, submit, query, refused, organizationId, root } = api
    const create = async (parameters: object) =>
      String((await submit("CREATE_VELOCITY_CONTROL", parameters))["velocityControlId"])

    t.test("replies have the published shape, and lists come in pages", async (t) => {
      const empty = await query("list_velocity_controls")
      t.same(empty, { velocityControls: [], pageInfo: { hasNextPage: false, hasPreviousPage: false } })
      const first = await create(transfers())
      const { velocityControl: shown } = await query("get_velocity_control", { velocityControlId: first })
      t.match(shown, { velocityControlId: first, organizationId, ...transfers() })
      const second = await create(velocityControl())
      const third = await create(velocityControl({ identifier: "third" }))
      const page = async (paginationOptions: object) => {
        const { velocityControls, pageInfo } = await query("list_velocity_controls", { paginationOptions })
        const ids = (velocityControls as Json[]).map(({ velocityControlId }) => velocityControlId)
        return { ids, pageInfo }
      }
      t.same(await page({ limit: "2" }), {
        ids: [first, second],
        pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: first, endCursor: second },
      })
      t.same(await page({ after: second }), {
        ids: [third],
        pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: third, endCursor: third },
      })
      t.same((await page({ before: third, limit: "1" })).ids, [second])
      await refused("get_velocity_control", { velocityControlId: NIL }, [404, 5])
      for (const velocityControlId of [first, second, third]) {
        const deleted = await submit("DELETE_VELOCITY_CONTROL", {
          velocityControlId,
        })
        t.same(deleted, { velocityControlId })
      }
    })

    t.test("a published client creates, reads and deletes a control", async (t) => {
      const http = httpOf(system, root)
      const envelope = (type: "CREATE" | "DELETE") => ({
        type: `ACTIVITY_TYPE_${type}_VELOCITY_CONTROL` as never,
        timestampMs: String(Date.now()),
        organizationId,
      })
      const made = await http.createVelocityControl({ ...envelope("CREATE"), parameters: velocityControl() })
      const { velocityControlId = "" } = made.activity.result.createVelocityControlResult ?? {}
      const shown = await http.getVelocityControl({ organizationId, velocityControlId })
      t.match(shown.velocityControl, { velocityControlId, ...velocityControl() })
      const { velocityControls } = await http.listVelocityControls({ organizationId })
      t.same(velocityControls, [shown.velocityControl])
      const gone = await http.deleteVelocityControl({
        ...envelope("DELETE"),
        parameters: { velocityControlId },
      })
      t.equal(gone.activity.status, "ACTIVITY_STATUS_COMPLETED")
      t.same((await http.listVelocityControls({ organizationId })).velocityControls, [])
    })

    t.test(
      "what moves an unknown amount is named in the denial, or refused, by the control's setting",
      async (t) => {
        const eve = newKey()
        await submit("CREATE_USERS_V3", { users: [userParams("eve", eve)] })
        const signWith = await wallet(system, api, "Tokens")
        const token = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
        const data = encodeFunctionData({
          abi: parseAbi(["function authorizeOperator(address operator)"]),
          args: [`0x${"22".repeat(20)}`],
        })
        const unsigned = serializeTransaction({ chainId: 1, gas: 60_000n, maxFeePerGas: 3n, to: token, data })
        const parameters = {
          signWith,
          type: "TRANSACTION_TYPE_ETHEREUM",
          unsignedTransaction: unsigned.slice(2),
        }
        const denied = async (identifier: string, more: object) => {
          const asset = { definition: [{ caip19: `eip155:1/erc20:${token}`, decimals: "6" }], ...more }
          const control = { ...transfers(), identifier, dataSource: { chainAssetTransfer: asset } }
          const velocityControlId = await create(control)
          const { velocityControl: shown } = await query("get_velocity_control", { velocityControlId })
          t.match(shown, control)
          const policy = {
            policyName: identifier,
            effect: "EFFECT_ALLOW",
            condition: `controls.${identifier}`,
            notes: "",
          }
          const { policyId } = await submit("CREATE_POLICY_V3", policy)
          const { message } = await refused("SIGN_TRANSACTION_V2", parameters, [403, 7], { key: eve })
          await submit("DELETE_POLICY", { policyId })
          await submit("DELETE_VELOCITY_CONTROL", { velocityControlId })
          return message
        }
        t.match(
          await denied("tokens", {}),
          /Velocity control tokens counts function 0x959b8c3f as more than any threshold: its amount is not known\./,
        )
        t.match(
          await denied("closed", { unknownAmount: "VELOCITY_CONTROL_UNKNOWN_AMOUNT_REFUSED" }),
          /velocity control closed refuses function 0x959b8c3f, which may move any amount of 0xa0b8/,
        )
      },
    )

    t.test("a denial names the exceeded control, and a simulation counts the request alone", async (t) => {
      const dan = newKey()
      const users = [userParams("dan", dan)]
      const { userIds } = await submit("CREATE_USERS_V3", { users })
      const address = await wallet(system, api, "First")
      const velocityControlId = await create(velocityControl({ aggregation: once }))
      const policy = {
        policyName: "one",
        effect: "EFFECT_ALLOW",
        condition: "controls.signatures",
        notes: "",
      }
      await submit("CREATE_POLICY_V3", policy)
      await submit("SIGN_RAW_PAYLOAD_V2", signParams(address), { key: dan })
      const { message, details } = await refused("SIGN_RAW_PAYLOAD_V2", signParams(address), [403, 7], {
        key: dan,
      })
      t.match(
        message,
        /^You don't have sufficient permissions .* signatures: this request would bring the number of activities of the (?:organization|user|wallet) in \d+ \w+ to 2; the threshold is 1\. The same request fits at 20\S+: wait until then\.$/,
      )
      const exceeded = (details as Json[]).find((one) =>
        String(one["@type"]).endsWith("VelocityControlsExceeded"),
      )
      t.match(exceeded, {
        controls: [
          { velocityControlId, identifier: "signatures", threshold: "1", total: "2", exceededBy: "1" },
        ],
      })
      const activity = { type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters: signParams(address) }
      const simulated = await query("simulate_policies", {
        activity,
        submitter: { userId: (userIds as string[])[0] },
      })
      t.match(simulated, {
        outcome: "OUTCOME_ALLOW",
        reason: /velocity controls are simulated as if they had counted nothing/,
      })
    })
  },
}
