"""Allow-list of the ATen operators that a file of ``torch.export`` may call: those that a forward
needs.

Each gives tensors or sizes that follow from its arguments alone. None takes the name of a file,
opens, saves, prints or starts something, none sets where a tensor lies in memory or trusts an index
unseen; ``from_file`` is among what is missing, and so is what is of one device only. What belongs
to training (``…_backward``, optimizers), and what is quantized, sparse or nested, is not offered.
"""

_ELEMENTWISE = """
abs absolute acos acosh add addcdiv addcmul angle arccos arccosh arcsin arcsinh arctan arctan2
arctanh asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor ceil clamp clamp_max clamp_min clip complex conj conj_physical
copysign cos cosh deg2rad digamma div divide eq erf erfc erfinv exp exp2 expm1 fix float_power floor
floor_divide fmax fmin fmod frac frexp gcd ge greater greater_equal gt heaviside hypot i0 igamma
igammac imag isclose isfinite isin isinf isnan isneginf isposinf isreal lcm ldexp le lerp less
less_equal lgamma log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
logical_xor logit lt maximum minimum mul multiply mvlgamma nan_to_num ne neg negative nextafter
not_equal polar polygamma positive pow rad2deg real reciprocal remainder resolve_conj resolve_neg
round rsqrt rsub sgn sigmoid sign signbit sin sinc sinh special_airy_ai special_bessel_j0
special_bessel_j1 special_bessel_y0 special_bessel_y1 special_digamma special_entr special_erf
special_erfc special_erfcx special_erfinv special_exp2 special_expit special_expm1
special_gammainc special_gammaincc special_gammaln special_i0 special_i0e special_i1 special_i1e
special_log1p special_log_ndtr special_logit special_multigammaln special_ndtr special_ndtri
special_polygamma special_psi special_round special_sinc special_xlog1py special_xlogy special_zeta
sqrt square sub subtract tan tanh true_divide trunc where xlogy
__and__ __lshift__ __or__ __rshift__ __xor__
"""
_ACTIVATIONS = """
celu elu gelu glu hardshrink hardsigmoid hardswish hardtanh leaky_relu log_sigmoid
log_sigmoid_forward log_softmax mish prelu relu relu6 rrelu selu silu softmax softplus softshrink
special_log_softmax special_softmax threshold
_log_softmax _masked_softmax _prelu_kernel _safe_softmax _softmax
"""
_REDUCTIONS = """
all amax amin aminmax any argmax argmin argsort bucketize corrcoef count_nonzero cov cummax cummin
cumprod cumsum cumulative_trapezoid diff dist frobenius_norm gradient histc kthvalue logcumsumexp
logsumexp max mean median min mode msort nanmean nanmedian nanquantile nansum norm norm_except_dim
nuclear_norm prod quantile renorm searchsorted sort special_logsumexp std std_mean sum sum_to_size
topk trace trapezoid trapz var var_mean
_is_all_true _is_any_true _logcumsumexp
"""
_SHAPES = """
adjoint alias alias_copy as_strided as_strided_copy as_strided_scatter atleast_1d atleast_2d
atleast_3d block_diag broadcast_tensors broadcast_to cartesian_prod cat channel_shuffle chunk clone
col2im column_stack combinations concat concatenate constant_pad_nd contiguous copy detach
detach_copy diag diag_embed diagflat diagonal diagonal_copy diagonal_scatter dsplit dstack expand
expand_as expand_copy fill flatten flip fliplr flipud gather hsplit hstack im2col index index_add
index_copy index_fill index_put index_reduce index_select lift_fresh lift_fresh_copy mH mT
masked_fill masked_scatter masked_select matrix_H meshgrid moveaxis movedim narrow narrow_copy
native_channel_shuffle numpy_T one_hot pad pad_sequence permute permute_copy pixel_shuffle
pixel_unshuffle put ravel reflection_pad1d reflection_pad2d reflection_pad3d repeat
repeat_interleave replication_pad1d replication_pad2d replication_pad3d reshape reshape_as roll
rot90 row_stack scatter scatter_add scatter_reduce select select_copy select_scatter slice
slice_copy slice_scatter split split_copy split_with_sizes split_with_sizes_copy squeeze
squeeze_copy stack swapaxes swapdims t t_copy take take_along_dim tensor_split tile to transpose
transpose_copy tril triu type_as unbind unbind_copy unflatten unfold unfold_copy unsafe_chunk
unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy vander view view_as view_as_complex
view_as_complex_copy view_as_real view_as_real_copy view_copy vsplit vstack zero
_conj _conj_copy _conj_physical _neg_view _neg_view_copy _pad_circular _pad_enum _reshape_copy
_shape_as_tensor _stack _to_copy _unsafe_index _unsafe_index_put _unsafe_view
"""
_PRODUCTS = """
addbmm addmm addmv addr baddbmm bilinear bmm cdist chain_matmul cholesky_inverse cholesky_solve
cosine_similarity cross det dot einsum ger inner inverse kron linalg_cholesky linalg_cholesky_ex
linalg_cond linalg_cross linalg_det linalg_diagonal linalg_eig linalg_eigh linalg_eigvals
linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq linalg_lu
linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_matmul linalg_matrix_exp
linalg_matrix_norm linalg_matrix_power linalg_matrix_rank linalg_multi_dot linalg_norm linalg_pinv
linalg_qr linalg_slogdet linalg_solve linalg_solve_ex linalg_solve_triangular linalg_svd
linalg_svdvals linalg_tensorinv linalg_tensorsolve linalg_vander linalg_vecdot linalg_vector_norm
linear logdet lu_solve lu_unpack matmul matrix_exp matrix_power mm mv outer pairwise_distance pdist
pinverse slogdet svd tensordot triangular_solve vdot
_cdist_forward _euclidean_dist _linalg_det _linalg_eigh _linalg_eigvals _linalg_slogdet
_linalg_solve_ex _linalg_svd _pdist_forward _trilinear
"""
_LAYERS = """
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
adaptive_max_pool3d affine_grid_generator alpha_dropout avg_pool1d avg_pool2d avg_pool3d batch_norm
conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution dropout
embedding embedding_bag feature_alpha_dropout feature_dropout fractional_max_pool2d
fractional_max_pool3d grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell
instance_norm layer_norm lstm lstm_cell max_pool1d max_pool1d_with_indices max_pool2d
max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool2d max_unpool3d
native_batch_norm native_dropout native_group_norm native_layer_norm rms_norm rnn_relu rnn_relu_cell
rnn_tanh rnn_tanh_cell scaled_dot_product_attention upsample_bicubic2d upsample_bilinear2d
upsample_linear1d upsample_nearest1d upsample_nearest2d upsample_nearest3d upsample_trilinear3d
_adaptive_avg_pool2d _adaptive_avg_pool3d _batch_norm_with_update_functional _convolution
_convolution_mode _embedding_bag _embedding_bag_forward_only _fused_rms_norm
_native_batch_norm_legit _native_batch_norm_legit_functional
_native_batch_norm_legit_no_training
_scaled_dot_product_attention_math _scaled_dot_product_flash_attention_for_cpu
_upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d _upsample_nearest_exact2d
_upsample_nearest_exact3d _weight_norm _weight_norm_interface
"""
_LOSSES = """
binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy_loss
hinge_embedding_loss huber_loss kl_div l1_loss margin_ranking_loss mse_loss multi_margin_loss
multilabel_margin_loss nll_loss nll_loss2d nll_loss2d_forward nll_loss_forward nll_loss_nd
poisson_nll_loss smooth_l1_loss soft_margin_loss triplet_margin_loss
"""
_SPECTRA = """
bartlett_window blackman_window fft_fft fft_fft2 fft_fftfreq fft_fftn fft_fftshift fft_hfft
fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn
fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftfreq fft_rfftn hamming_window hann_window
istft kaiser_window stft
_fft_c2c _fft_c2r _fft_r2c
"""
_FACTORIES = """
arange bernoulli binomial empty empty_like empty_permuted empty_strided exponential eye full
full_like linspace logspace multinomial new_empty new_empty_strided new_full new_ones new_zeros
normal ones ones_like poisson rand rand_like randint randint_like randn randn_like randperm
scalar_tensor tril_indices triu_indices uniform zeros zeros_like
"""
_SIZES = """
size stride sym_numel sym_size sym_storage_offset sym_stride
sym_constrain_range sym_constrain_range_for_size
_assert_async _assert_scalar _assert_tensor_metadata
"""
"""Sizes as numbers, and what an exporter writes down to have them checked."""

OPERATIONS = frozenset(
    " ".join(
        (
            *(_ELEMENTWISE, _ACTIVATIONS, _REDUCTIONS, _SHAPES, _PRODUCTS),
            *(_LAYERS, _LOSSES, _SPECTRA, _FACTORIES, _SIZES),
        )
    ).split()
)
"""The operations by their name, without ``aten::`` and without the name of the overload."""


GIVING_NUMBERS = frozenset(_SIZES.split())
"""Those of them that give sizes, or nothing, and no tensors."""


def is_in_place(name: str) -> bool:
    """Return whether an operation is the one that writes into its first argument: ``relu_``."""
    return name.endswith("_") and not name.endswith("__")


def is_offered(name: str) -> bool:
    """Return whether an operation, or what it does in place, is one of :data:`OPERATIONS`."""
    return name in OPERATIONS or (is_in_place(name) and name[:-1] in OPERATIONS)
