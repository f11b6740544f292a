"""The operators that byrote knows, listed by hand: one folder each, all about an operator in its folder."""

from byrote.ops.abs import OPERATOR as ABS
from byrote.ops.add import OPERATOR as ADD
from byrote.ops.average_pool_2d import OPERATOR as AVERAGE_POOL_2D
from byrote.ops.clamp import OPERATOR as RELU
from byrote.ops.concatenation import OPERATOR as CONCATENATION
from byrote.ops.conv2d import OPERATOR as CONV_2D
from byrote.ops.depthwise_conv2d import OPERATOR as DEPTHWISE_CONV_2D
from byrote.ops.dequantize import OPERATOR as DEQUANTIZE
from byrote.ops.fully_connected import OPERATOR as FULLY_CONNECTED
from byrote.ops.gather import OPERATOR as GATHER
from byrote.ops.hard_swish import OPERATOR as HARD_SWISH
from byrote.ops.leaky_relu import OPERATOR as LEAKY_RELU
from byrote.ops.logistic import OPERATOR as LOGISTIC
from byrote.ops.max_pool_2d import OPERATOR as MAX_POOL_2D
from byrote.ops.maximum import OPERATOR as MAXIMUM
from byrote.ops.mean import OPERATOR as MEAN
from byrote.ops.minimum import OPERATOR as MINIMUM
from byrote.ops.mul import OPERATOR as MUL
from byrote.ops.operator import Operator
from byrote.ops.pad import OPERATOR as PAD
from byrote.ops.prelu import OPERATOR as PRELU
from byrote.ops.quantize import OPERATOR as QUANTIZE
from byrote.ops.reading import NewConstant, OperatorView, Options, Profile, Reading, TensorView, Unreadable
from byrote.ops.reshape import OPERATOR as RESHAPE
from byrote.ops.resize_bilinear import OPERATOR as RESIZE_BILINEAR
from byrote.ops.resize_nearest_neighbor import OPERATOR as RESIZE_NEAREST_NEIGHBOR
from byrote.ops.shape import OPERATOR as SHAPE
from byrote.ops.slice import OPERATOR as SLICE
from byrote.ops.softmax import OPERATOR as SOFTMAX
from byrote.ops.split import OPERATOR as SPLIT
from byrote.ops.strided_slice import OPERATOR as STRIDED_SLICE
from byrote.ops.sub import OPERATOR as SUB
from byrote.ops.tanh import OPERATOR as TANH
from byrote.ops.transpose import OPERATOR as TRANSPOSE

OPERATORS: tuple[Operator, ...] = (
    CONV_2D,
    DEPTHWISE_CONV_2D,
    FULLY_CONNECTED,
    AVERAGE_POOL_2D,
    MAX_POOL_2D,
    RESHAPE,
    SOFTMAX,
    ADD,
    SUB,
    MUL,
    MINIMUM,
    MAXIMUM,
    MEAN,
    PAD,
    RELU,
    LOGISTIC,
    TANH,
    ABS,
    LEAKY_RELU,
    HARD_SWISH,
    PRELU,
    SLICE,
    STRIDED_SLICE,
    SPLIT,
    TRANSPOSE,
    CONCATENATION,
    RESIZE_BILINEAR,
    RESIZE_NEAREST_NEIGHBOR,
    SHAPE,
    GATHER,
    QUANTIZE,
    DEQUANTIZE,
)

__all__ = [
    "OPERATORS",
    "NewConstant",
    "Operator",
    "OperatorView",
    "Options",
    "Profile",
    "Reading",
    "TensorView",
    "Unreadable",
]
