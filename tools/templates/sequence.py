"""A classifier of sentences; encoders and decoders of sequences of words; a forecast."""

from engine.data.source.phrases import french_words
from engine.graph.draft import Draft
from engine.graph.model import Block, Graph
from engine.graph.templates import TemplateTask
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec, SplitSpec
from engine.spec.technique import TeacherForcingSpec
from tools.templates.draft import Template, term
from tools.templates.gpt import GptSize, gpt

_HIDDEN = 256
_LENGTH = 10  # of the sequences that the attention looks back on
_SENTENCE = 16  # words
_KNOWN = 512  # rows of the table; the vocabularies of the data have about half as many words
_TOPICS = 4
_FRENCH = len(french_words())
_GPT = GptSize(window=64, width=96, heads=4, layers=2, characters=65)
_PHRASE, _MEMORY = 8, 128  # words of a phrase; size of the state of the translation
_ENGLISH_ROWS, _FRENCH_ROWS = 51, 85  # words of the phrases, with their marks
_NAME_WINDOW, _NAME_LETTERS, _NAME_WIDTH = 32, 55, 128  # of the model of names
_DAYS, _AHEAD = 14, 3  # of weather that are read and that are forecast
_SENTENCES = DataSpec(
    source=Choice(type="sentences", params={"length": _LENGTH}), split=SplitSpec(group_equal=True)
)
_PHRASES = DataSpec(source=Choice(type="phrases"), split=SplitSpec(kind="group", column="phrase"))


def sequence_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [
        _sentence_classifier(),
        _encoder_rnn(),
        _decoder_rnn(),
        _attention_decoder(),
        _translation(),
        _character_gpt(),
        _names(),
        _weather(),
    ]


def _sentence_classifier() -> Template:
    draft = Draft().put("sentence", "Input", field="sentence", shape=(_SENTENCE,), dtype="int64")
    draft.put("embedding", "Embedding", num_embeddings=_KNOWN, embedding_dim=32, padding_idx=0)
    draft.put(
        "attention",
        "MultiheadAttention",
        after=dict.fromkeys(("query", "key", "value"), "embedding"),
        num_heads=4,
        batch_first=True,
    )
    draft.put("mean", "mean", dim=(1,)).put("classifier", "Linear", out_features=_TOPICS)
    return Template(
        name="sentence-classifier",
        group="sequence",
        order=38,
        title=("Sentences by topic", "按话题分类句子"),
        description=(
            (
                "An embedding, self-attention and a dense layer classify the topic of a "
                "short English sentence, about 99 % of the test set. Type your own in the "
                "Playground."
            ),
            (
                "嵌入、自注意力和全连接层判断一句英文短句的话题，测试集上约 99% 正确。"
                "可在试验场输入自己的句子。数据随程序附带。"
            ),
        ),
        task="classification",
        minutes=0.1,
        graph=draft.put("logits", "Output").model(),
        spec=RunSpec(
            data=DataSpec(source=Choice(type="sentences"), split=SplitSpec(group_equal=True)),
            losses=(term("CrossEntropyLoss", "logits", "label"),),
            epochs=8,
        ),
    )


def _template(
    name: str,
    order: int,
    *,
    title: tuple[str, str],
    text: tuple[str, str],
    graph: Graph,
    data: DataSpec,
    loss: LossTerm,
    task: TemplateTask = "classification",
) -> Template:  # fmt: skip
    return Template(
        name=name,
        group="sequence",
        order=order,
        title=title,
        description=text,
        task=task,
        minutes=0.5,
        graph=graph,
        spec=RunSpec(
            data=data,
            losses=(loss,),
            epochs=6,
        ),
    )


def _encoder() -> Block:
    draft = Draft().put("words", "BlockInput")
    draft.put("embedding", "Embedding", num_embeddings=_KNOWN, embedding_dim=_HIDDEN)
    draft.put("gru", "GRU", hidden_size=_HIDDEN, batch_first=True)
    draft.put("outputs", "BlockOutput").put("hidden", "BlockOutput", after="gru.h_n")
    return draft.block(
        "Reads a sequence of words: an output for each word and the hidden state after the last.\n"
        "The first hidden state is zero."
    )


def _decoder() -> Block:
    draft = Draft().put("word", "BlockInput").put("hidden", "BlockInput")
    draft.put(
        "embedding", "Embedding", after="word", num_embeddings=_FRENCH + 1, embedding_dim=_HIDDEN
    )
    draft.put("relu", "relu").put("one_step", "unsqueeze", dim=1)
    draft.put(
        "gru",
        "GRU",
        after={"input": "one_step", "hx": "hidden"},
        hidden_size=_HIDDEN,
        batch_first=True,
    )
    draft.put("step", "select", dim=1, index=0).put("out", "Linear", out_features=_FRENCH)
    draft.put("softmax", "LogSoftmax", dim=1).put("output", "BlockOutput")
    draft.put("hidden_after", "BlockOutput", after="gru.h_n")
    return draft.block(
        "One step of a decoder: from the word before and the hidden state to the next word."
    )


def _attention() -> Block:
    draft = Draft().put("word", "BlockInput").put("hidden", "BlockInput")
    draft.put("encoder_outputs", "BlockInput")
    draft.put(
        "embedding", "Embedding", after="word", num_embeddings=_FRENCH + 1, embedding_dim=_HIDDEN
    )
    draft.put("dropout", "Dropout", p=0.1)
    draft.put("state", "select", after="hidden", dim=0, index=0)
    draft.put("query", "cat", after={"tensors.0": "dropout", "tensors.1": "state"}, dim=1)
    draft.put("attn", "Linear", out_features=_LENGTH).put("attn_weights", "softmax", dim=1)
    draft.put("weights_row", "unsqueeze", dim=1)
    draft.put("applied", "bmm", after={"input": "weights_row", "mat2": "encoder_outputs"})
    draft.put("attn_applied", "squeeze", dim=1)
    draft.put("both", "cat", after={"tensors.0": "dropout", "tensors.1": "attn_applied"}, dim=1)
    draft.put("attn_combine", "Linear", out_features=_HIDDEN).put("relu", "relu")
    draft.put("one_step", "unsqueeze", dim=1)
    draft.put(
        "gru",
        "GRU",
        after={"input": "one_step", "hx": "hidden"},
        hidden_size=_HIDDEN,
        batch_first=True,
    )
    draft.put("step", "select", dim=1, index=0).put("out", "Linear", out_features=_FRENCH)
    draft.put("log_softmax", "log_softmax", dim=1).put("output", "BlockOutput")
    draft.put("hidden_after", "BlockOutput", after="gru.h_n")
    draft.put("attention", "BlockOutput", after="attn_weights")
    return draft.block(
        "One step of a decoder with attention (Bahdanau et al., 2014): word and hidden state decide"
        " how much each output of the encoder counts; these weights are a port of their own."
    )


def _encoder_rnn() -> Template:
    draft = Draft({"EncoderRNN": _encoder()})
    draft.put("sentence", "Input", field="sentence", shape=(_LENGTH,), dtype="int64")
    draft.put("encoder", "block.EncoderRNN")
    draft.put("last", "select", after="encoder.hidden", dim=0, index=0)
    draft.put("classifier", "Linear", out_features=_TOPICS).put("logits", "Output")
    return _template(
        "encoder-rnn",
        39,
        title=("Sequence encoder", "序列编码器"),
        text=(
            (
                "An embedding and a GRU read ten words of a sentence; a dense layer tells its "
                "topic from the last hidden state, over 99 % of the test set."
            ),
            (
                "嵌入和 GRU 读入句子的十个词，全连接层根据最后的隐藏状态判断话题，"
                "测试集上超过 99% 正确。"
            ),
        ),
        graph=draft.model(),
        data=_SENTENCES,
        loss=term("CrossEntropyLoss", "logits", "label"),
    )


def _step_inputs(draft: Draft) -> Draft:
    draft.put("sequence", "Input", field="sequence", shape=(_LENGTH,), dtype="int64")
    draft.put("encoder", "block.EncoderRNN")
    return draft.put("previous", "Input", field="previous", shape=(), dtype="int64")


def _decoder_rnn() -> Template:
    draft = _step_inputs(Draft({"EncoderRNN": _encoder(), "DecoderRNN": _decoder()}))
    draft.put("decoder", "block.DecoderRNN", after={"word": "previous", "hidden": "encoder.hidden"})
    draft.put("log_probabilities", "Output")
    draft.put("hidden", "Output", after="decoder.hidden_after")
    return _template(
        "decoder-rnn",
        40,
        task="sequence to sequence",
        title=("Encoder and decoder", "编码器与解码器"),
        text=(
            (
                "One step of sequence to sequence: the encoder's hidden state and the "
                "previous word determine the next one. English phrases and their French "
                "translation; about 97 % of the next words are right in phrases it never saw."
            ),
            (
                "序列到序列的一步：编码器的隐藏状态和上一个词决定下一个词。"
                "数据是英语短语及其法语翻译；未见过的短语中约 97% 的下一个词正确。"
            ),
        ),
        graph=draft.model(),
        data=_PHRASES,
        loss=term("NLLLoss", "log_probabilities", "label"),
    )


def _attention_decoder() -> Template:
    draft = _step_inputs(Draft({"EncoderRNN": _encoder(), "AttnDecoderRNN": _attention()}))
    draft.put(
        "decoder",
        "block.AttnDecoderRNN",
        after={
            "word": "previous",
            "hidden": "encoder.hidden",
            "encoder_outputs": "encoder.outputs",
        },
    )
    draft.put("log_probabilities", "Output")
    draft.put("hidden", "Output", after="decoder.hidden_after")
    draft.put("attention", "Output", after="decoder.attention")
    return _template(
        "attention-decoder",
        41,
        task="sequence to sequence",
        title=("Decoder with attention", "带注意力的解码器"),
        text=(
            (
                "The decoder attends to all ten words and returns its attention weights. "
                "English phrases and their French translation; about 99 % of the next words "
                "are right in phrases it never saw."
            ),
            (
                "解码器回看全部十个词，每个词的权重作为注意力输出。"
                "数据是英语短语及其法语翻译；未见过的短语中约 99% 的下一个词正确。"
            ),
        ),
        graph=draft.model(),
        data=_PHRASES,
        loss=term("NLLLoss", "log_probabilities", "label"),
    )


def _translator() -> Graph:
    shape = {"shape": (_PHRASE,), "dtype": "int64"}
    draft = Draft().put("source", "Input", field="source", **shape)
    draft.put("english", "Embedding", num_embeddings=_ENGLISH_ROWS, embedding_dim=64)
    draft.put("encoder", "GRU", hidden_size=_MEMORY, batch_first=True)
    draft.put("previous", "Input", field="previous", **shape)
    draft.put("french", "Embedding", num_embeddings=_FRENCH_ROWS, embedding_dim=64)
    draft.put(
        "decoder",
        "GRU",
        after={"input": "french", "hx": "encoder.h_n"},
        hidden_size=_MEMORY,
        batch_first=True,
    )
    looked = {"query": "decoder", "key": "encoder", "value": "encoder"}
    draft.put("attention", "scaled_dot_product_attention", after=looked)
    both = {"tensors.0": "decoder", "tensors.1": "attention"}
    draft.put("both", "cat", after=both, dim=2).put("head", "Linear", out_features=_FRENCH_ROWS)
    draft.put("classes_first", "transpose", dim0=1, dim1=2)  # as CrossEntropyLoss wants them
    return draft.put("logits", "Output").model()


def _translation() -> Template:
    return Template(
        name="translation",
        group="sequence",
        order=42,
        title=("Translation", "翻译"),
        description=(
            (
                "An encoder reads an English phrase, and a decoder with attention writes the "
                "French one word by word. In training it reads the true word before (teacher "
                "forcing) half of the time, else its own. It gets over 99 % of the words right in "
                "phrases it never saw, with a BLEU of over 0.98. Type a phrase in the "
                "Playground, with greedy or beam search."
            ),
            (
                "编码器读入英语短语，带注意力的解码器逐词写出法语。"
                "训练时一半情况下读入真实的前一个词（教师强制），其余读入自己写出的词。"
                "未见过的短语中超过 99% 的词正确，BLEU 超过 0.98。"
                "可在试验场输入短语，用贪心或束搜索。"
            ),
        ),
        task="sequence to sequence",
        minutes=0.5,
        graph=_translator(),
        spec=RunSpec(
            data=DataSpec(source=Choice(type="phrase_pairs", params={"length": _PHRASE})),
            losses=(
                LossTerm(
                    loss=Choice(type="CrossEntropyLoss", params={"ignore_index": 0}),
                    inputs={"input": "model.logits", "target": "data.target"},
                ),
            ),
            optimizer=Choice(type="Adam", params={"lr": 2e-3}),
            teacher_forcing=TeacherForcingSpec(ratio=0.5),
            metrics=("accuracy", "bleu"),
            epochs=10,
        ),
    )


def _character_gpt() -> Template:
    source = Choice(type="shakespeare", params={"length": _GPT.window})
    split = SplitSpec(kind="sequential", train=0.8, validation=0.1, test=0.1)
    return Template(
        name="character-gpt",
        group="sequence",
        order=43,
        title=("Character GPT", "字符级 GPT"),
        description=(
            (
                "A small GPT reads 64 characters of Shakespeare and predicts the next one at every "
                "position, with a perplexity of about 6.3 on scenes it never saw. Let it write "
                "in the Playground; Tensors shows what each character looks at."
            ),
            (
                "小型 GPT 读入莎士比亚的 64 个字符，在每个位置预测下一个，"
                "在未见过的场景上困惑度约 6.3。可在试验场让它续写；“张量”页显示每个字符在看哪里。"
            ),
        ),
        task="language model",
        minutes=1.0,
        graph=gpt(_GPT),
        spec=RunSpec(
            data=DataSpec(source=source, split=split, batch_size=32),
            optimizer=Choice(type="AdamW", params={"lr": 4e-3}),
            scheduler=Choice(type="OneCycleLR", params={"max_lr": 4e-3, "pct_start": 0.1}),
            scheduler_interval="step",
            losses=(term("CrossEntropyLoss", "logits", "target"),),
            metrics=("accuracy", "perplexity"),
            epochs=6,
        ),
    )


def _names() -> Template:
    draft = Draft().put("text", "Input", field="text", shape=(_NAME_WINDOW,), dtype="int64")
    draft.put("embedding", "Embedding", num_embeddings=_NAME_LETTERS, embedding_dim=32)
    draft.put("gru", "GRU", hidden_size=_NAME_WIDTH, batch_first=True).put(
        "dropout", "Dropout", p=0.3
    )
    draft.put("head", "Linear", out_features=_NAME_LETTERS)
    draft.put("classes_first", "transpose", dim0=1, dim1=2)  # as CrossEntropyLoss wants them
    source = Choice(type="names", params={"length": _NAME_WINDOW})
    return Template(
        name="names-gru",
        group="sequence",
        order=44,
        title=("Names, character by character", "逐字符生成人名"),
        description=(
            (
                "A GRU reads given names character by character and predicts the next one, with a "
                "perplexity of about 7.2 on names it never saw. In the Playground it makes up new "
                "ones: give it a few letters, and lower the temperature for more usual names."
            ),
            (
                "GRU 逐字符读入英文人名并预测下一个字符，在未见过的人名上困惑度约 7.2。"
                "在试验场中它会编出新的人名：给出开头的几个字母；温度越低，人名越常见。"
            ),
        ),
        task="language model",
        minutes=0.5,
        graph=draft.put("logits", "Output").model(),
        spec=RunSpec(
            data=DataSpec(
                source=source,
                split=SplitSpec(kind="sequential", train=0.8, validation=0.1, test=0.1),
            ),
            optimizer=Choice(type="AdamW", params={"lr": 0.01}),
            scheduler=Choice(type="OneCycleLR", params={"max_lr": 0.01, "pct_start": 0.1}),
            scheduler_interval="step",
            losses=(term("CrossEntropyLoss", "logits", "target"),),
            metrics=("accuracy", "perplexity"),
            epochs=12,
        ),
    )


def _weather() -> Template:
    draft = Draft().put("series", "Input", field="series", shape=(_DAYS, 4))
    draft.put("gru", "GRU", hidden_size=32, batch_first=True)
    draft.put("last", "select", after="gru.h_n", dim=0, index=0)
    draft.put("next_days", "Linear", out_features=_AHEAD).put("degrees", "mul", other=10.0)
    source = Choice(type="weather", params={"length": _DAYS, "horizon": _AHEAD})
    return Template(
        name="weather-forecast",
        group="sequence",
        order=45,
        title=("Weather forecast", "天气预报"),
        description=(
            (
                "A GRU reads 14 days of rain, temperatures and wind in Seattle and forecasts the "
                "highest temperature of the next three days: R² of about 0.79 on the last 41 "
                "weeks, which it never saw. To repeat the last day reaches 0.71. The validation "
                "set is one winter, whose temperatures hardly vary: R² is only about 0.20 there "
                "(0.12 for the last day), though the error is smaller (2.4 °C against 2.7)."
            ),
            (
                "GRU 读入西雅图 14 天的降水、气温和风速，预测接下来三天的最高气温。"
                "在未见过的最后 41 周上 R² 约 0.79；只重复最后一天的气温则为 0.71。"
                "验证集是一个冬季，气温变化很小：那里的 R² 只有约 0.20（重复最后一天为 0.12），"
                "误差却更小（2.4 °C，测试集为 2.7）。"
            ),
        ),
        task="regression",
        minutes=0.2,
        graph=draft.put("forecast", "Output").model(),
        spec=RunSpec(
            data=DataSpec(
                source=source,
                normalization="standard",
                split=SplitSpec(kind="sequential", train=0.7, validation=0.1, test=0.2),
            ),
            losses=(term("MSELoss", "forecast", "target"),),
            optimizer=Choice(type="AdamW", params={"lr": 5e-3}),
            scheduler=Choice(type="CosineAnnealingLR", params={"T_max": 30}),
            epochs=30,
        ),
    )
