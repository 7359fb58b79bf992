import { string } from "../../policy/language/types.ts"
import { id, type ShownByType, type ShownParameters } from "../../policy/parameters/shown-parameters.ts"

const endpoint: ShownParameters = {
  fields: { endpoint_id: string },
  values: ({ endpointId }) => ({ endpoint_id: id(endpointId) }),
}

export const parameters: ShownByType = {
  UPDATE_WEBHOOK_ENDPOINT: endpoint,
  DELETE_WEBHOOK_ENDPOINT: endpoint,
  REDELIVER_WEBHOOK_DELIVERIES: endpoint,
  SEND_WEBHOOK_TEST_EVENT: endpoint,
}
