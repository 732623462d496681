"""All questions that the host process answers, one line each."""

from typing import TYPE_CHECKING, Any, Union

from engine.query.attention.request import ReadAttention
from engine.query.data.request import (
    BrowseSamples,
    CompareData,
    DescribeData,
    DescribeEdits,
    DescribeStatistics,
    DrawSamples,
    FindParts,
    JudgeTensors,
    ListColumns,
    ListTableColumns,
    ListValues,
    ListVocabulary,
    LookAtSample,
    NameEdits,
    NameSamples,
    PeekData,
    PeekSamples,
    PickSamples,
    PreviewBatch,
    PreviewData,
    PreviewTransforms,
    ProposeData,
    RepairFile,
    TakePictures,
)
from engine.query.density.request import CountSamples
from engine.query.diffusion.request import Denoise
from engine.query.distance.request import CompareWeights
from engine.query.doctor.request import CheckUp, ProposeRepairs
from engine.query.embedding.request import MapActivations, MapSamples
from engine.query.evaluation.request import Evaluate
from engine.query.export.request import Export, SaveTensor
from engine.query.generation.request import Generate
from engine.query.generator.request import SampleGenerator
from engine.query.gradient.request import CheckGradient
from engine.query.health.request import CheckDataHealth
from engine.query.latent.request import Decode, DescribeLatent
from engine.query.listing.request import ListModel, PreviewWeights
from engine.query.lora.request import CountTrained, LoadAdapter, MergeLora, SaveAdapter
from engine.query.machine.request import CheckInstallation, GetCapabilities, WarmUp
from engine.query.memory.request import (
    EstimateFreezing,
    EstimateMemory,
    EstimateRecomputation,
)
from engine.query.model.request import (
    Analyse,
    Check,
    FitModels,
    FollowText,
    GetSource,
    Repair,
)
from engine.query.rate.request import ExplainExtension, PreviewGroups, PreviewLr
from engine.query.request import Request
from engine.query.results.request import (
    DescribeModel,
    DrawSurface,
    Examine,
    ListKeptTensors,
    LookUp,
    Predict,
    PredictBoxes,
    PredictMasks,
    PredictSamples,
    PredictSequences,
    TakeFile,
    TakeKeptTensor,
)
from engine.query.trace.request import TraceForward
from engine.query.weights.request import (
    CompareCheckpoint,
    MatchLayer,
    ReadCheckpoint,
    ReportStart,
    ReportWeights,
    TakeWeights,
)

QUESTIONS: tuple[type[Request[Any]], ...] = (
    WarmUp,
    GetCapabilities,
    CheckInstallation,
    Analyse,
    Check,
    FitModels,
    Repair,
    GetSource,
    FollowText,
    ListModel,
    CheckGradient,
    TraceForward,
    PreviewWeights,
    EstimateMemory,
    EstimateRecomputation,
    EstimateFreezing,
    CheckUp,
    ProposeRepairs,
    DescribeData,
    ProposeData,
    RepairFile,
    PeekData,
    PreviewData,
    DrawSamples,
    FindParts,
    JudgeTensors,
    PreviewTransforms,
    DescribeEdits,
    DescribeStatistics,
    CompareData,
    ListColumns,
    ListTableColumns,
    PeekSamples,
    BrowseSamples,
    PickSamples,
    ListValues,
    ListVocabulary,
    TakePictures,
    LookAtSample,
    NameEdits,
    NameSamples,
    MapSamples,
    CountSamples,
    MapActivations,
    CheckDataHealth,
    PreviewBatch,
    PreviewLr,
    PreviewGroups,
    ExplainExtension,
    Evaluate,
    Examine,
    LookUp,
    PredictBoxes,
    PredictMasks,
    PredictSamples,
    PredictSequences,
    DescribeModel,
    TakeFile,
    Predict,
    Generate,
    ReadAttention,
    Denoise,
    SampleGenerator,
    DescribeLatent,
    Decode,
    DrawSurface,
    ListKeptTensors,
    TakeKeptTensor,
    CompareWeights,
    ReadCheckpoint,
    CompareCheckpoint,
    ReportStart,
    ReportWeights,
    TakeWeights,
    MatchLayer,
    CountTrained,
    MergeLora,
    SaveAdapter,
    LoadAdapter,
    Export,
    SaveTensor,
)

if TYPE_CHECKING:
    AnyQuestion = Request[Any]
else:
    AnyQuestion = Union[QUESTIONS]  # noqa: UP007 - msgspec tells them apart by their tags
