// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// One call of a batch. `value`: wei.
struct Call {
    address to;
    uint256 value;
    bytes data;
}

/// Code that accounts delegate to (EIP-7702), for tests: the interface, messages, storage and rules of the published
/// contract, written anew. `packed`: r(32) || s(32) || v(1) || nonce(16) || deadline(4) || data of the call; none of a batch.
contract GasDelegate {
    error BatchSizeInvalid();
    error DeadlineExceeded();
    error ExecutionFailed();
    error InvalidNonce();
    error NotSelf();

    uint256 private constant MAX_BATCH_SIZE = 20;
    /// The nonce is in the low 16 bytes (ERC-7201).
    uint256 private constant STATE_SLOT = 0x34d5be385818fa5c8c4e7f9d5a028251d28ebab8aaf203a072d1dde2d49a1100;
    bytes32 private constant DOMAIN =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant CALL = keccak256("Call(address to,uint256 value,bytes data)");
    bytes32 private constant EXECUTION =
        keccak256("Execution(uint128 nonce,uint32 deadline,address to,uint256 value,bytes data)");
    bytes32 private constant BATCH = keccak256(
        "BatchExecution(uint128 nonce,uint32 deadline,Call[] calls)Call(address to,uint256 value,bytes data)"
    );

    receive() external payable {}

    function nonce() public view returns (uint128) {
        return uint128(_state());
    }

    /// EIP-5267. An account answers with its own address.
    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (0x0f, "TKGasDelegate", "1", block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    /// Anybody may submit what the account has signed. A call that fails reverts with empty data.
    function execute(address to, uint256 value, bytes calldata packed) external {
        bytes calldata data = packed[85:];
        _authorize(EXECUTION, abi.encode(to, value, keccak256(data)), packed);
        (bool succeeded,) = to.call{value: value}(data);
        if (!succeeded) {
            assembly {
                revert(0, 0)
            }
        }
    }

    /// All calls or none.
    function executeBatch(Call[] calldata calls, bytes calldata packed) external {
        if (calls.length == 0 || calls.length > MAX_BATCH_SIZE) revert BatchSizeInvalid();
        bytes32[] memory hashes = new bytes32[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            hashes[i] = keccak256(abi.encode(CALL, calls[i].to, calls[i].value, keccak256(calls[i].data)));
        }
        _authorize(BATCH, abi.encode(keccak256(abi.encodePacked(hashes))), packed);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool succeeded,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!succeeded) revert ExecutionFailed();
        }
    }

    /// Checks signature, nonce and deadline, and uses the nonce. `members`: those of the message after the deadline.
    function _authorize(bytes32 messageType, bytes memory members, bytes calldata packed) private {
        uint128 used = uint128(bytes16(packed[65:81]));
        uint32 deadline = uint32(bytes4(packed[81:85]));
        bytes32 message =
            keccak256(bytes.concat(abi.encode(messageType, uint256(used), uint256(deadline)), members));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", _domain(), message));
        address signer =
            ecrecover(digest, uint8(packed[64]), bytes32(packed[0:32]), bytes32(packed[32:64]));
        if (signer != address(this)) revert NotSelf();
        if (used != nonce()) revert InvalidNonce();
        if (block.timestamp > deadline) revert DeadlineExceeded();
        uint256 next = _state() + 1;
        assembly {
            sstore(STATE_SLOT, next)
        }
    }

    function _domain() private view returns (bytes32) {
        bytes memory names = abi.encode(DOMAIN, keccak256("TKGasDelegate"), keccak256("1"));
        return keccak256(bytes.concat(names, abi.encode(block.chainid, address(this))));
    }

    function _state() private view returns (uint256 word) {
        assembly {
            word := sload(STATE_SLOT)
        }
    }
}

/// The contract that a paymaster calls, for tests. It holds nothing and takes no ether.
contract GasStation {
    error NotDelegated();

    address private immutable _delegate;

    constructor(address delegate) {
        _delegate = delegate;
    }

    function isDelegated(address target) public view returns (bool) {
        return keccak256(target.code) == keccak256(abi.encodePacked(hex"ef0100", _delegate));
    }

    function getNonce(address target) external view returns (uint128) {
        return _delegated(target).nonce();
    }

    function execute(address target, address to, uint256 value, bytes calldata packed) external {
        _delegated(target).execute(to, value, packed);
    }

    function executeBatch(address target, Call[] calldata calls, bytes calldata packed) external {
        _delegated(target).executeBatch(calls, packed);
    }

    function _delegated(address target) private view returns (GasDelegate) {
        if (!isDelegated(target)) revert NotDelegated();
        return GasDelegate(payable(target));
    }
}
