"""Signs a message with the published client for Python, and prints r, s and v of the signature."""

import os

from turnkey_api_key_stamper import ApiKeyStamper, ApiKeyStamperConfig
from turnkey_http import TurnkeyClient
from turnkey_sdk_types import SignRawPayloadBody

key = ApiKeyStamperConfig(
    api_public_key=os.environ["API_PUBLIC_KEY"],
    api_private_key=os.environ["API_PRIVATE_KEY"],
)
client = TurnkeyClient(
    base_url=os.environ["BASE_URL"],
    stamper=ApiKeyStamper(key),
    organization_id=os.environ["ORGANIZATION_ID"],
)
reply = client.sign_raw_payload(
    SignRawPayloadBody(
        signWith=os.environ["SIGN_WITH"],
        payload="pay the supplier",
        encoding="PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction="HASH_FUNCTION_KECCAK256",
    )
)
print(reply.r, reply.s, reply.v)
