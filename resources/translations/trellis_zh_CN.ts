<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Action</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Data</source>
        <translation>数据(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Code</source>
        <translation>代码(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Inspect</source>
        <translation>检视(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>New project…</source>
        <translation>新建项目…</translation>
    </message>
    <message>
        <source>Open project…</source>
        <translation>打开项目…</translation>
    </message>
    <message>
        <source>Open from image…</source>
        <translation>从图片打开…</translation>
    </message>
    <message>
        <source>Close project</source>
        <translation>关闭项目</translation>
    </message>
    <message>
        <source>Welcome page</source>
        <translation>欢迎页</translation>
    </message>
    <message>
        <source>Copy window screenshot</source>
        <translation>复制窗口截图</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Preferences…</source>
        <translation>首选项…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Save copy as…</source>
        <translation>另存副本为…</translation>
    </message>
    <message>
        <source>Show project in folder</source>
        <translation>在文件夹中显示项目</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Zoom, grid and minimap</source>
        <translation>缩放、网格和缩略图</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>创建副本</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Export image…</source>
        <translation>导出图片…</translation>
    </message>
    <message>
        <source>Add layer…</source>
        <translation>添加层…</translation>
    </message>
    <message>
        <source>Add layers by typing…</source>
        <translation>输入文本添加层…</translation>
    </message>
    <message>
        <source>Find on canvas…</source>
        <translation>在画布上查找…</translation>
    </message>
    <message>
        <source>Rename layer</source>
        <translation>重命名层</translation>
    </message>
    <message>
        <source>Bypass layer</source>
        <translation>跳过层</translation>
    </message>
    <message>
        <source>Mute layer (output zeros)</source>
        <translation>静音层（输出零）</translation>
    </message>
    <message>
        <source>Zoom to fit</source>
        <translation>缩放以适应窗口</translation>
    </message>
    <message>
        <source>Zoom to selection</source>
        <translation>缩放到所选内容</translation>
    </message>
    <message>
        <source>Snap to grid</source>
        <translation>对齐网格</translation>
    </message>
    <message>
        <source>Minimap</source>
        <translation>缩略图</translation>
    </message>
    <message>
        <source>Model workspace</source>
        <translation>模型工作区</translation>
    </message>
    <message>
        <source>New project for your data…</source>
        <translation>用自己的数据新建项目…</translation>
    </message>
    <message>
        <source>Data workspace</source>
        <translation>数据工作区</translation>
    </message>
    <message>
        <source>Train workspace</source>
        <translation>训练工作区</translation>
    </message>
    <message>
        <source>Pause or continue</source>
        <translation>暂停或继续</translation>
    </message>
    <message>
        <source>Run one step</source>
        <translation>运行一步</translation>
    </message>
    <message>
        <source>Save checkpoint now</source>
        <translation>立即保存检查点</translation>
    </message>
    <message>
        <source>Evaluate now</source>
        <translation>立即评估</translation>
    </message>
    <message>
        <source>Stop training</source>
        <translation>停止训练</translation>
    </message>
    <message>
        <source>Resume last run</source>
        <translation>恢复上次运行</translation>
    </message>
    <message>
        <source>Inspect workspace</source>
        <translation>检视工作区</translation>
    </message>
    <message>
        <source>Runs workspace</source>
        <translation>运行记录工作区</translation>
    </message>
    <message>
        <source>Export workspace</source>
        <translation>导出工作区</translation>
    </message>
    <message>
        <source>Compare weights file…</source>
        <translation>比较权重文件…</translation>
    </message>
    <message>
        <source>Palette</source>
        <translation>组件面板</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Weight initialization</source>
        <translation>权重初始化</translation>
    </message>
    <message>
        <source>Initialize all layers of this type</source>
        <translation>初始化所有此类型的层</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Fix a problem…</source>
        <translation>修复问题…</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Open run log file</source>
        <translation>打开运行日志文件</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>命令面板…</translation>
    </message>
    <message>
        <source>System theme</source>
        <translation>跟随系统主题</translation>
    </message>
    <message>
        <source>Light theme</source>
        <translation>浅色主题</translation>
    </message>
    <message>
        <source>Dark theme</source>
        <translation>深色主题</translation>
    </message>
    <message>
        <source>System language</source>
        <translation>跟随系统语言</translation>
    </message>
    <message>
        <source>Language: English</source>
        <translation>语言：English</translation>
    </message>
    <message>
        <source>Language: 简体中文</source>
        <translation>语言：简体中文</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Normal text size</source>
        <translation>默认文字大小</translation>
    </message>
    <message>
        <source>Help on selection</source>
        <translation>所选内容的帮助</translation>
    </message>
    <message>
        <source>Check installation</source>
        <translation>检查安装</translation>
    </message>
    <message>
        <source>Show last crash report</source>
        <translation>显示最近的崩溃报告</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Compare models…</source>
        <translation>比较模型…</translation>
    </message>
    <message>
        <source>Save block to library</source>
        <translation>将块保存到库</translation>
    </message>
    <message>
        <source>My blocks…</source>
        <translation>我的块…</translation>
    </message>
    <message>
        <source>Group into block</source>
        <translation>组合成块</translation>
    </message>
    <message>
        <source>Group into switch</source>
        <translation>组合成开关</translation>
    </message>
    <message>
        <source>Unpack block</source>
        <translation>展开块</translation>
    </message>
    <message>
        <source>Open block</source>
        <translation>进入块</translation>
    </message>
    <message>
        <source>Leave block</source>
        <translation>离开块</translation>
    </message>
    <message>
        <source>Make block unique</source>
        <translation>改为独立的块</translation>
    </message>
    <message>
        <source>Share or unshare weights</source>
        <translation>共享或取消共享权重</translation>
    </message>
    <message>
        <source>Remove unused blocks</source>
        <translation>移除未使用的块</translation>
    </message>
    <message>
        <source>Structure and parameters…</source>
        <translation>结构与参数…</translation>
    </message>
    <message>
        <source>Arrange</source>
        <translation>自动排列</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>Search for better settings…</source>
        <translation>搜索更好的设置…</translation>
    </message>
    <message>
        <source>Runs of all projects</source>
        <translation>所有项目的运行</translation>
    </message>
    <message>
        <source>Devices…</source>
        <translation>设备…</translation>
    </message>
    <message>
        <source>Suggest faster settings…</source>
        <translation>建议更快的设置…</translation>
    </message>
    <message>
        <source>Start from weights…</source>
        <translation>从权重开始…</translation>
    </message>
    <message>
        <source>Several machines…</source>
        <translation>多台机器…</translation>
    </message>
    <message>
        <source>Train on another machine…</source>
        <translation>在另一台机器上训练…</translation>
    </message>
    <message>
        <source>Known machines…</source>
        <translation>已知机器…</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>手册</translation>
    </message>
    <message>
        <source>Take the tour</source>
        <translation>参观向导</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Copy diagnostics</source>
        <translation>复制诊断信息</translation>
    </message>
    <message>
        <source>About Trellis</source>
        <translation>关于 Trellis</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>打开最近的项目</translation>
    </message>
    <message>
        <source>Align and distribute</source>
        <translation>对齐与分布</translation>
    </message>
    <message>
        <source>Select more</source>
        <translation>扩展选择</translation>
    </message>
    <message>
        <source>Align left edges</source>
        <translation>左边缘对齐</translation>
    </message>
    <message>
        <source>Align right edges</source>
        <translation>右边缘对齐</translation>
    </message>
    <message>
        <source>Align top edges</source>
        <translation>上边缘对齐</translation>
    </message>
    <message>
        <source>Align bottom edges</source>
        <translation>下边缘对齐</translation>
    </message>
    <message>
        <source>New file</source>
        <translation>新建文件</translation>
    </message>
    <message>
        <source>Custom code</source>
        <translation>自定义代码</translation>
    </message>
    <message>
        <source>Maximize code editor</source>
        <translation>最大化代码编辑器</translation>
    </message>
    <message>
        <source>New data set in code</source>
        <translation>用代码新建数据集</translation>
    </message>
    <message>
        <source>Layer without weights</source>
        <translation>无权重的层</translation>
    </message>
    <message>
        <source>Layer with weights</source>
        <translation>有权重的层</translation>
    </message>
    <message>
        <source>Function (operator)</source>
        <translation>函数（运算符）</translation>
    </message>
    <message>
        <source>Function with custom gradient</source>
        <translation>自定义梯度的函数</translation>
    </message>
    <message>
        <source>Metric (torchmetrics)</source>
        <translation>指标（torchmetrics）</translation>
    </message>
    <message>
        <source>Initializer</source>
        <translation>初始化函数</translation>
    </message>
    <message>
        <source>Data set</source>
        <translation>数据集</translation>
    </message>
    <message>
        <source>Data set with collate_fn and Sampler</source>
        <translation>带 collate_fn 和 Sampler 的数据集</translation>
    </message>
    <message>
        <source>Data stream (IterableDataset)</source>
        <translation>数据流（IterableDataset）</translation>
    </message>
    <message>
        <source>Rename file</source>
        <translation>重命名文件</translation>
    </message>
    <message>
        <source>Remove file</source>
        <translation>移除文件</translation>
    </message>
    <message>
        <source>Open in external editor</source>
        <translation>用外部编辑器打开</translation>
    </message>
    <message>
        <source>Trust project code…</source>
        <translation>信任项目代码…</translation>
    </message>
    <message>
        <source>Stop trusting project code</source>
        <translation>取消信任项目代码</translation>
    </message>
    <message>
        <source>Shape assertion</source>
        <translation>形状断言</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Loss for masks (Dice)</source>
        <translation>用于掩码的损失（Dice）</translation>
    </message>
    <message>
        <source>Empty file</source>
        <translation>空文件</translation>
    </message>
    <message>
        <source>Color</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Frame selection</source>
        <translation>为所选内容加边框</translation>
    </message>
    <message>
        <source>Add note</source>
        <translation>添加便签</translation>
    </message>
    <message>
        <source>Collapse to title</source>
        <translation>折叠为标题</translation>
    </message>
    <message>
        <source>No color</source>
        <translation>无颜色</translation>
    </message>
    <message>
        <source>Red</source>
        <translation>红色</translation>
    </message>
    <message>
        <source>Orange</source>
        <translation>橙色</translation>
    </message>
    <message>
        <source>Yellow</source>
        <translation>黄色</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>绿色</translation>
    </message>
    <message>
        <source>Teal</source>
        <translation>青色</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>蓝色</translation>
    </message>
    <message>
        <source>Purple</source>
        <translation>紫色</translation>
    </message>
    <message>
        <source>Pink</source>
        <translation>粉色</translation>
    </message>
    <message>
        <source>Gray</source>
        <translation>灰色</translation>
    </message>
    <message>
        <source>Align horizontal centers</source>
        <translation>水平居中对齐</translation>
    </message>
    <message>
        <source>Align vertical centers</source>
        <translation>垂直居中对齐</translation>
    </message>
    <message>
        <source>Distribute horizontally</source>
        <translation>水平均匀分布</translation>
    </message>
    <message>
        <source>Distribute vertically</source>
        <translation>垂直均匀分布</translation>
    </message>
    <message>
        <source>Pin position</source>
        <translation>固定位置</translation>
    </message>
    <message>
        <source>Select all of same type</source>
        <translation>选择所有同类节点</translation>
    </message>
    <message>
        <source>Select upstream nodes</source>
        <translation>选择上游节点</translation>
    </message>
    <message>
        <source>Select downstream nodes</source>
        <translation>选择下游节点</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Surgery</source>
        <translation>改造模型</translation>
    </message>
    <message>
        <source>Freeze weights</source>
        <translation>冻结权重</translation>
    </message>
    <message>
        <source>Cut off following layers</source>
        <translation>截掉后续层</translation>
    </message>
    <message>
        <source>Add output after this layer</source>
        <translation>在此层后添加输出</translation>
    </message>
    <message>
        <source>Delete and reconnect</source>
        <translation>删除并重新连接</translation>
    </message>
    <message>
        <source>Replace layer…</source>
        <translation>替换层…</translation>
    </message>
    <message>
        <source>Change width…</source>
        <translation>更改宽度…</translation>
    </message>
    <message>
        <source>Change number of classes…</source>
        <translation>更改类别数…</translation>
    </message>
    <message>
        <source>Synchronize batch norms across GPUs</source>
        <translation>跨 GPU 同步批归一化</translation>
    </message>
    <message>
        <source>Freeze brush</source>
        <translation>冻结画笔</translation>
    </message>
    <message>
        <source>Fine-tune…</source>
        <translation>微调…</translation>
    </message>
    <message>
        <source>Autograd graph</source>
        <translation>自动求导图</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Inspect tensor</source>
        <translation>查看张量</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>剖析</translation>
    </message>
    <message>
        <source>Autograd lab</source>
        <translation>自动求导实验台</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Playground</source>
        <translation>试验场</translation>
    </message>
    <message>
        <source>Open sample in the playground</source>
        <translation>在试验场中打开样本</translation>
    </message>
    <message>
        <source>Decision surface</source>
        <translation>决策面</translation>
    </message>
    <message>
        <source>Loss landscape</source>
        <translation>损失地形</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>体检</translation>
    </message>
    <message>
        <source>Debugger</source>
        <translation>调试器</translation>
    </message>
    <message>
        <source>Toggle breakpoint</source>
        <translation>切换断点</translation>
    </message>
    <message>
        <source>Continue to next breakpoint</source>
        <translation>继续到下一个断点</translation>
    </message>
    <message>
        <source>Step over layer</source>
        <translation>单步跳过层</translation>
    </message>
    <message>
        <source>Step to next backward Function</source>
        <translation>运行到下一个反向 Function</translation>
    </message>
    <message>
        <source>Step to optimizer</source>
        <translation>运行到优化器</translation>
    </message>
    <message>
        <source>Step to next batch</source>
        <translation>运行到下一批</translation>
    </message>
    <message>
        <source>Step to next epoch</source>
        <translation>运行到下一轮</translation>
    </message>
    <message>
        <source>Forward pass trace</source>
        <translation>前向传播跟踪</translation>
    </message>
    <message>
        <source>Go to definition of layer</source>
        <translation>转到层的定义</translation>
    </message>
    <message>
        <source>Check gradients of layer</source>
        <translation>检查层的梯度</translation>
    </message>
    <message>
        <source>Import model…</source>
        <translation>导入模型…</translation>
    </message>
    <message>
        <source>Model code</source>
        <translation>模型代码</translation>
    </message>
    <message>
        <source>Copy model code</source>
        <translation>复制模型代码</translation>
    </message>
    <message>
        <source>Save model code as…</source>
        <translation>将模型代码另存为…</translation>
    </message>
    <message>
        <source>Regenerate model code</source>
        <translation>重新生成模型代码</translation>
    </message>
    <message>
        <source>Run queue</source>
        <translation>运行队列</translation>
    </message>
    <message>
        <source>Restore deleted runs</source>
        <translation>恢复已删除的运行</translation>
    </message>
    <message>
        <source>Cross-validate…</source>
        <translation>交叉验证…</translation>
    </message>
    <message>
        <source>Move samples to</source>
        <translation>移动样本到</translation>
    </message>
    <message>
        <source>Count pixels per class</source>
        <translation>统计各类别的像素</translation>
    </message>
    <message>
        <source>Exclude samples</source>
        <translation>排除样本</translation>
    </message>
    <message>
        <source>Include samples</source>
        <translation>恢复样本</translation>
    </message>
    <message>
        <source>Relabel samples…</source>
        <translation>更改样本类别…</translation>
    </message>
    <message>
        <source>Tag samples…</source>
        <translation>为样本加标签…</translation>
    </message>
    <message>
        <source>Training set</source>
        <translation>训练集</translation>
    </message>
    <message>
        <source>Validation set</source>
        <translation>验证集</translation>
    </message>
    <message>
        <source>Test set</source>
        <translation>测试集</translation>
    </message>
    <message>
        <source>Set of the split</source>
        <translation>按划分</translation>
    </message>
    <message>
        <source>Reset all edits of samples</source>
        <translation>重置所有样本编辑</translation>
    </message>
    <message>
        <source>Samples of the data</source>
        <translation>数据样本</translation>
    </message>
    <message>
        <source>Transforms of the data</source>
        <translation>数据的变换</translation>
    </message>
    <message>
        <source>Map of the samples</source>
        <translation>样本分布图</translation>
    </message>
    <message>
        <source>Health of the data</source>
        <translation>数据健康检查</translation>
    </message>
    <message>
        <source>Download data set…</source>
        <translation>下载数据集…</translation>
    </message>
    <message>
        <source>Folders with data…</source>
        <translation>数据文件夹…</translation>
    </message>
    <message>
        <source>Suggest workers and batch size…</source>
        <translation>建议工作进程数和批大小…</translation>
    </message>
    <message>
        <source>Columns of the table…</source>
        <translation>表格的列…</translation>
    </message>
    <message>
        <source>Pipeline of the data</source>
        <translation>数据流水线</translation>
    </message>
    <message>
        <source>Certify resume…</source>
        <translation>验证续训…</translation>
    </message>
    <message>
        <source>Predict files…</source>
        <translation>预测文件…</translation>
    </message>
    <message>
        <source>Recompute in backward pass…</source>
        <translation>反向传播时重新计算…</translation>
    </message>
    <message>
        <source>Run again with its changes</source>
        <translation>连同更改再次运行</translation>
    </message>
    <message>
        <source>Find a learning rate…</source>
        <translation>查找学习率…</translation>
    </message>
    <message>
        <source>Find the largest batch size…</source>
        <translation>查找最大批大小…</translation>
    </message>
    <message>
        <source>Repeat with other seeds…</source>
        <translation>换种子重复…</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>调参</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Add LoRA…</source>
        <translation>添加 LoRA…</translation>
    </message>
    <message>
        <source>Remove LoRA</source>
        <translation>移除 LoRA</translation>
    </message>
    <message>
        <source>Merge LoRA…</source>
        <translation>合并 LoRA…</translation>
    </message>
    <message>
        <source>Save LoRA adapter…</source>
        <translation>保存 LoRA 适配器…</translation>
    </message>
    <message>
        <source>Load LoRA adapter…</source>
        <translation>加载 LoRA 适配器…</translation>
    </message>
    <message>
        <source>Show samples in Results</source>
        <translation>在“结果”中显示样本</translation>
    </message>
    <message>
        <source>Statistics of the data</source>
        <translation>数据的统计</translation>
    </message>
    <message>
        <source>Measure the data</source>
        <translation>测量数据</translation>
    </message>
    <message>
        <source>Vocabulary of the texts</source>
        <translation>文本的词表</translation>
    </message>
    <message>
        <source>Load weights into this layer…</source>
        <translation>为此层载入权重…</translation>
    </message>
    <message>
        <source>Attention maps</source>
        <translation>注意力图</translation>
    </message>
    <message>
        <source>Write report…</source>
        <translation>撰写报告…</translation>
    </message>
    <message>
        <source>Serve model…</source>
        <translation>提供模型服务…</translation>
    </message>
</context>
<context>
    <name>Attention</name>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Text, heads and weights</source>
        <translation>文本、头和权重</translation>
    </message>
    <message>
        <source>No attention</source>
        <translation>没有注意力</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Use a sample of the training data</source>
        <translation>取一个训练数据样本</translation>
    </message>
    <message>
        <source>Head that is shown</source>
        <translation>显示的头</translation>
    </message>
    <message>
        <source>Model to look into</source>
        <translation>要查看的模型</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Input error</source>
        <translation>输入的问题</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Type a text</source>
        <translation>输入文本</translation>
    </message>
    <message>
        <source>Type a text and see where each head of the trained model looks in it. The first checkpoint is saved after the first epoch.</source>
        <translation>输入一段文本，查看训练好的模型的每个头在其中关注哪里。第一个检查点在第一轮之后保存。</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>尚无模型</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>Opening the model…</source>
        <translation>正在打开模型…</translation>
    </message>
    <message>
        <source>This page is for models that read a text. The attention weights of any model, for a batch of the data, are in Tensors.</source>
        <translation>此页用于读取文本的模型。任何模型对一批数据的注意力权重都可在“张量”中查看。</translation>
    </message>
    <message>
        <source>This model reads no text</source>
        <translation>此模型不读取文本</translation>
    </message>
    <message>
        <source>{layer} · head {head} of {heads}</source>
        <translation>{layer} · 第 {head} 个头（共 {heads} 个）</translation>
    </message>
    <message>
        <source>Each row adds up to 1: how much its token looks at each.</source>
        <translation>每一行之和为 1：该行的词元对各词元的关注程度。</translation>
    </message>
    <message>
        <source>Causal: hatched, later tokens are not seen.</source>
        <translation>因果：带斜线处为后面的词元，看不到。</translation>
    </message>
    <message>
        <source>The model wrote: {text}</source>
        <translation>模型写出：{text}</translation>
    </message>
    <message>
        <source>Weights of step {step}, eval mode</source>
        <translation>第 {step} 步的权重，eval 模式</translation>
    </message>
    <message>
        <source>{layer} · states</source>
        <translation>{layer} · 状态</translation>
    </message>
    <message>
        <source>{layer} · states after each token</source>
        <translation>{layer} · 每个词元之后的状态</translation>
    </message>
    <message>
        <source>{layer} · states, direction {head} of {heads}</source>
        <translation>{layer} · 状态，第 {head} 个方向（共 {heads} 个）</translation>
    </message>
    <message>
        <source>A row for each step, a column for each unit of the state.</source>
        <translation>每一步一行，状态的每个单元一列。</translation>
    </message>
    <message>
        <source>Behind → stands the likeliest next token.</source>
        <translation>→ 之后是最可能的下一个词元。</translation>
    </message>
</context>
<context>
    <name>Autograd</name>
    <message>
        <source>The next step will be captured</source>
        <translation>正在等待下一步以捕获</translation>
    </message>
    <message>
        <source>No step captured yet</source>
        <translation>还没有捕获任何一步</translation>
    </message>
    <message>
        <source>Capture step</source>
        <translation>捕获一步</translation>
    </message>
    <message>
        <source>No graph yet</source>
        <translation>还没有图</translation>
    </message>
    <message>
        <source>Train and capture step</source>
        <translation>训练并捕获一步</translation>
    </message>
    <message>
        <source>In each training step, PyTorch builds a graph of Functions from the loss back to the parameters and runs it backward.</source>
        <translation>每个训练步中，PyTorch 都会建立一张从损失回到参数的 Function 图，并沿它反向计算。</translation>
    </message>
    <message>
        <source> Capture a step to see it.</source>
        <translation>捕获一步即可查看。</translation>
    </message>
    <message>
        <source>Step {step}</source>
        <translation>第 {step} 步</translation>
    </message>
    <message>
        <source>Export autograd graph</source>
        <translation>导出自动求导图</translation>
    </message>
    <message>
        <source>{functions} {functions|Function|Functions}, {edges} {edges|edge|edges}, {saved} saved</source>
        <translation>{functions} 个 Function，{edges} 条边，保留 {saved}</translation>
    </message>
    <message>
        <source>, freed by backward</source>
        <translation>，已被反向传播释放</translation>
    </message>
    <message>
        <source>output {numbers} of forward</source>
        <translation>前向的输出 {numbers}</translation>
    </message>
    <message>
        <source>✂ no gradient</source>
        <translation>✂ 无梯度</translation>
    </message>
    <message>
        <source>{count} Functions</source>
        <translation>{count} 个 Function</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Saved for backward: {size}</source>
        <translation>为反向传播保存：{size}</translation>
    </message>
    <message>
        <source>A tensor was modified in place after it was saved, so the backward pass fails here.</source>
        <translation>某个张量在保存之后被原地修改：反向传播会在这里失败。</translation>
    </message>
    <message>
        <source>A backward pass has freed the saved tensors. Another one fails here unless the first used retain_graph=True.</source>
        <translation>一次反向传播已释放保存的张量：除非那一次使用了 retain_graph=True，否则再次反向传播会在此失败。</translation>
    </message>
    <message>
        <source>{type}: no gradient</source>
        <translation>{type}：无梯度</translation>
    </message>
    <message>
        <source>Autograd does not track this part of the forward pass because it is frozen, detached or under no_grad. Nothing is saved and no gradient is computed.</source>
        <translation>前向传播经过这里，自动求导则不经过：已冻结、已 detach 或处于 no_grad 之下。这里不保存任何内容，也不计算梯度。</translation>
    </message>
    <message>
        <source>line {line}</source>
        <translation>第 {line} 行</translation>
    </message>
    <message>
        <source>Values leave the graph here. Results computed from them pass no gradient back to their source.</source>
        <translation>值在这里离开图：由它们算出的结果没有梯度可以流回它们的来处。</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Click a Function to see its saved tensors and where they come from.</source>
        <translation>单击一个 Function，查看它保留了什么、来自哪里。</translation>
    </message>
    <message>
        <source>Detached by</source>
        <translation>切断方式</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Function</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Double-click to go there</source>
        <translation>双击前往</translation>
    </message>
    <message>
        <source>no Function: frozen, detached or under no_grad</source>
        <translation>没有 Function：已冻结、已 detach 或处于 no_grad 之下</translation>
    </message>
    <message>
        <source>ATen operator</source>
        <translation>ATen 运算符</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Line of code</source>
        <translation>代码行</translation>
    </message>
    <message>
        <source>Output of forward</source>
        <translation>前向输出</translation>
    </message>
    <message>
        <source>Forward value</source>
        <translation>前向的值</translation>
    </message>
    <message>
        <source>Creation order</source>
        <translation>生成次序</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Vector-Jacobian product</source>
        <translation>向量-雅可比积</translation>
    </message>
    <message>
        <source>Gradient from</source>
        <translation>梯度来自</translation>
    </message>
    <message>
        <source>{number} of {count}, after {start}, took {took}</source>
        <translation>第 {number} 次，共 {count} 次；{start} 后开始，用时 {took}</translation>
    </message>
    <message>
        <source>Incoming gradient</source>
        <translation>到达的梯度</translation>
    </message>
    <message>
        <source>Outgoing gradient</source>
        <translation>传出的梯度</translation>
    </message>
    <message>
        <source>Engine call</source>
        <translation>引擎的调用</translation>
    </message>
    <message>
        <source>{what}, saved by a hook that returns the tensor during backward</source>
        <translation>{what}，由钩子保存：反向传播时向它要回张量</translation>
    </message>
    <message>
        <source>version {number}, saved at {expected}: modified in place</source>
        <translation>版本 {number}，保存时为 {expected}：已被原地修改</translation>
    </message>
    <message>
        <source>fails: a saved tensor was modified</source>
        <translation>失败：保存的张量版本已变</translation>
    </message>
    <message>
        <source>fails: the saved tensors were freed (no retain_graph)</source>
        <translation>失败：保存的张量已释放（未用 retain_graph）</translation>
    </message>
    <message>
        <source>works: nothing that it needs was freed</source>
        <translation>此处可行：所需内容均未释放</translation>
    </message>
    <message>
        <source>Second backward pass</source>
        <translation>再次反向传播</translation>
    </message>
    <message>
        <source>version {number}</source>
        <translation>版本 {number}</translation>
    </message>
    <message>
        <source>Display</source>
        <translation>显示内容</translation>
    </message>
    <message>
        <source>Graph and details</source>
        <translation>图与详情</translation>
    </message>
    <message>
        <source>Autograd graph</source>
        <translation>自动求导图</translation>
    </message>
    <message>
        <source>Details and ready queue</source>
        <translation>详情与就绪队列</translation>
    </message>
    <message>
        <source>Function details</source>
        <translation>Function 的详情</translation>
    </message>
    <message>
        <source>Capture the autograd graph of the next training step</source>
        <translation>读取自动求导在下一个训练步中建立的图</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Capture steps continuously, less often if that would exceed the monitoring limit</source>
        <translation>不断地捕获训练步；若会超过观察的上限，则减少次数</translation>
    </message>
    <message>
        <source>Seconds between captures</source>
        <translation>两次捕获之间的秒数</translation>
    </message>
    <message>
        <source>{count} s</source>
        <translation>{count} 秒</translation>
    </message>
    <message>
        <source>Actual capture interval</source>
        <translation>在上限内的捕获间隔</translation>
    </message>
    <message>
        <source>Capturing this model takes long, so it happens less often than you chose to stay within the monitoring limit. You can change the limit on the Layers page.</source>
        <translation>捕获此模型耗时较长，为遵守观察上限，捕获比所选的间隔更稀疏。上限在“层”页面设置。</translation>
    </message>
    <message>
        <source>Captured step</source>
        <translation>已捕获的步</translation>
    </message>
    <message>
        <source>Level of detail</source>
        <translation>详细程度</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Functions</source>
        <translation>Function</translation>
    </message>
    <message>
        <source>Group by block, by layer (module), or show the Function of each ATen operator</source>
        <translation>把多少显示为一个：块、层（模块），或每个 ATen 运算符的 Function</translation>
    </message>
    <message>
        <source>Find a Function or parameter</source>
        <translation>查找 Function 或参数</translation>
    </message>
    <message>
        <source>Find…</source>
        <translation>查找…</translation>
    </message>
    <message>
        <source>Size of the graph</source>
        <translation>图的大小</translation>
    </message>
    <message>
        <source>Export graph</source>
        <translation>导出图</translation>
    </message>
    <message>
        <source>Save an image (SVG, PDF, PNG) or the graph (DOT, JSON)</source>
        <translation>保存为图片（SVG、PDF、PNG）或图数据（DOT、JSON）</translation>
    </message>
    <message>
        <source>Color</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Color: type</source>
        <translation>颜色：种类</translation>
    </message>
    <message>
        <source>Color: forward value</source>
        <translation>颜色：前向值</translation>
    </message>
    <message>
        <source>Color: gradient norm</source>
        <translation>颜色：梯度范数</translation>
    </message>
    <message>
        <source>Color: saved memory</source>
        <translation>颜色：保存的内存</translation>
    </message>
    <message>
        <source>Color: time</source>
        <translation>颜色：时间</translation>
    </message>
    <message>
        <source>currently every {count} s</source>
        <translation>现在每 {count} 秒</translation>
    </message>
    <message>
        <source>Choose a file name that ends in .svg, .png, .pdf, .dot or .json.</source>
        <translation>请选择以 .svg、.png、.pdf、.dot 或 .json 结尾的文件。</translation>
    </message>
    <message>
        <source>Norm of the forward value</source>
        <translation>前向值的范数</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Saved tensor memory</source>
        <translation>保存的张量所占内存</translation>
    </message>
    <message>
        <source>Backward Function time</source>
        <translation>反向 Function 的时间</translation>
    </message>
    <message>
        <source>Last run</source>
        <translation>刚刚运行</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Ready: all incoming gradients have been received</source>
        <translation>就绪：所需的梯度均已到达</translation>
    </message>
    <message>
        <source>Waiting: gradients received / needed</source>
        <translation>等待：已到达 / 需要的梯度</translation>
    </message>
    <message>
        <source>Functions run / total</source>
        <translation>已运行 / 全部 Function</translation>
    </message>
    <message>
        <source>Ready queue</source>
        <translation>就绪队列</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Incoming</source>
        <translation>已到达</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>The queue is empty. The backward pass is complete.</source>
        <translation>队列为空：反向传播已结束。</translation>
    </message>
    <message>
        <source>Before backward: {size} saved</source>
        <translation>反向传播之前：已保存 {size}</translation>
    </message>
    <message>
        <source>{name}: {took}, norm {arrived}, {size} still saved</source>
        <translation>{name}：{took}，范数 {arrived}；仍保存 {size}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>norm {norm}</source>
        <translation>范数 {norm}</translation>
    </message>
    <message>
        <source>Play backward pass</source>
        <translation>播放反向传播</translation>
    </message>
    <message>
        <source>Previous call</source>
        <translation>后退一次调用</translation>
    </message>
    <message>
        <source>Play the backward pass in the recorded order</source>
        <translation>按记录的顺序播放反向传播</translation>
    </message>
    <message>
        <source>Play backward</source>
        <translation>播放反向传播</translation>
    </message>
    <message>
        <source>Next call</source>
        <translation>前进一次调用</translation>
    </message>
    <message>
        <source>Calls made by the autograd engine</source>
        <translation>自动求导引擎已完成的调用</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Calls per second during playback</source>
        <translation>播放时每秒的调用次数</translation>
    </message>
    <message>
        <source>{count} / s</source>
        <translation>{count} 次/秒</translation>
    </message>
    <message>
        <source>Exit playback and show the captured graph</source>
        <translation>结束：恢复捕获时的图</translation>
    </message>
    <message>
        <source>Last call</source>
        <translation>最近运行的 Function</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Stop before gradient of this layer</source>
        <translation>在计算该层的梯度之前停下</translation>
    </message>
    <message>
        <source>Stop before this Function</source>
        <translation>在该 Function 之前停下</translation>
    </message>
    <message>
        <source>Stop before every {name}</source>
        <translation>在每个 {name} 之前停下</translation>
    </message>
</context>
<context>
    <name>AxisOrder</name>
    <message>
        <source>Axis order</source>
        <translation>轴的顺序</translation>
    </message>
    <message>
        <source>Drag an axis to its new position. The number below is its size.</source>
        <translation>把轴拖到它要去的位置。下面的数字是它的大小。</translation>
    </message>
    <message>
        <source>Keyboard: ← → select an axis, Ctrl+← → move it.</source>
        <translation>键盘：← → 选择轴，Ctrl+← → 移动它。</translation>
    </message>
    <message>
        <source>Axis order: {axes}</source>
        <translation>轴的顺序：{axes}</translation>
    </message>
    <message>
        <source>axis {n}</source>
        <translation>轴 {n}</translation>
    </message>
</context>
<context>
    <name>BarChart</name>
    <message>
        <source>Bar chart</source>
        <translation>柱状图</translation>
    </message>
</context>
<context>
    <name>Breadcrumbs</name>
    <message>
        <source>Location in the model</source>
        <translation>在模型中的位置</translation>
    </message>
    <message>
        <source>Go to “{name}”</source>
        <translation>转到“{name}”</translation>
    </message>
</context>
<context>
    <name>Brush</name>
    <message>
        <source>This node has no weights to freeze or group.</source>
        <translation>这里没有权重，无法涂色。</translation>
    </message>
    <message>
        <source>Paint layers</source>
        <translation>给层涂色</translation>
    </message>
    <message>
        <source>Change learning rate</source>
        <translation>更改学习率</translation>
    </message>
    <message>
        <source>Frozen</source>
        <translation>已冻结</translation>
    </message>
    <message>
        <source>The weights do not change: no gradients and no optimizer state.</source>
        <translation>保持权重不变：没有梯度，也没有优化器状态。</translation>
    </message>
    <message>
        <source>Trainable</source>
        <translation>可训练</translation>
    </message>
    <message>
        <source>Trained with the settings of {optimizer}.</source>
        <translation>按 {optimizer} 的设置训练。</translation>
    </message>
    <message>
        <source>A parameter group with its own settings: {names}</source>
        <translation>有自己设置的参数组：{names}</translation>
    </message>
    <message>
        <source>New group</source>
        <translation>新建组</translation>
    </message>
    <message>
        <source>The next stroke creates a parameter group with a tenth of the learning rate, which you can change.</source>
        <translation>下一笔会新建一个参数组。在您更改之前，它以十分之一的学习率学习。</translation>
    </message>
    <message>
        <source>This phase trains the layers that the others leave.</source>
        <translation>该阶段训练其他阶段剩下的层。</translation>
    </message>
    <message>
        <source>This phase trains {names}.</source>
        <translation>该阶段训练 {names}。</translation>
    </message>
    <message>
        <source>Group {number}</source>
        <translation>组 {number}</translation>
    </message>
    <message>
        <source>Group {number}: {rate}</source>
        <translation>组 {number}：{rate}</translation>
    </message>
    <message>
        <source>{trained} of {total} parameters trainable · {memory}</source>
        <translation>训练 {total} 个参数中的 {trained} 个 · {memory}</translation>
    </message>
    <message>
        <source>a step saves {memory} of memory and {share} of computation</source>
        <translation>每步少占内存 {memory}，少算 {share}</translation>
    </message>
    <message>
        <source>saves {saved} of gradients and optimizer state</source>
        <translation>梯度和优化器状态节省 {saved}</translation>
    </message>
    <message>
        <source>Freeze brush</source>
        <translation>冻结画笔</translation>
    </message>
    <message>
        <source>Paints</source>
        <translation>颜料</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Learning rate of the selected paint</source>
        <translation>所选颜料的学习率</translation>
    </message>
    <message>
        <source>The learning rate of layers with this paint. Frozen layers do not learn.</source>
        <translation>这种颜料的层学习得多快。冻结的层不学习。</translation>
    </message>
    <message>
        <source>Paint the selection</source>
        <translation>涂所选内容</translation>
    </message>
    <message>
        <source>Apply this paint to the selected layers.</source>
        <translation>把所选的层涂上这种颜料，与用画笔划过相同。</translation>
    </message>
    <message>
        <source>Exit freeze brush</source>
        <translation>放下画笔</translation>
    </message>
    <message>
        <source>Exit freeze brush (Esc on the canvas)</source>
        <translation>放下画笔（在画布上按 Esc）</translation>
    </message>
</context>
<context>
    <name>Canvas</name>
    <message>
        <source>Canvas</source>
        <translation>画布</translation>
    </message>
    <message>
        <source>Connect an output to an input.</source>
        <translation>连线从输出连到输入。</translation>
    </message>
    <message>
        <source>Connect an input to an output.</source>
        <translation>连线的另一端应是输出。</translation>
    </message>
    <message>
        <source>A node cannot be connected to itself.</source>
        <translation>节点不能连接到自身。</translation>
    </message>
    <message>
        <source>Double-click or press Tab to add a layer</source>
        <translation>双击或按 Tab 键添加层</translation>
    </message>
    <message>
        <source>or drag one here from the palette</source>
        <translation>或从左侧列表拖到这里</translation>
    </message>
    <message>
        <source>New project (Ctrl+N) starts from a template</source>
        <translation>也可用“新建项目”（Ctrl+N）从模板开始</translation>
    </message>
    <message>
        <source>Nodes: {nodes}, wires: {wires}.</source>
        <translation>节点：{nodes} 个，连线：{wires} 条。</translation>
    </message>
    <message>
        <source>Selected: {names}.</source>
        <translation>已选择：{names}。</translation>
    </message>
    <message>
        <source>Pinned: {names}.</source>
        <translation>已固定：{names}。</translation>
    </message>
    <message>
        <source>Bypassed: {names}.</source>
        <translation>已跳过：{names}。</translation>
    </message>
    <message>
        <source>Muted: {names}.</source>
        <translation>已静音：{names}。</translation>
    </message>
    <message>
        <source>Frozen: {names}.</source>
        <translation>已冻结：{names}。</translation>
    </message>
    <message>
        <source>Selected frames and notes: {names}.</source>
        <translation>已选中的边框和便签：{names}。</translation>
    </message>
    <message>
        <source>Selected wires: {names}.</source>
        <translation>已选择的连线：{names}。</translation>
    </message>
    <message>
        <source>Select a node to rename it.</source>
        <translation>请先选择要重命名的节点。</translation>
    </message>
    <message>
        <source>Select a node with the arrow keys, then press C to connect.</source>
        <translation>用方向键选择节点，再按 C 键连线。</translation>
    </message>
    <message>
        <source>Canvas view</source>
        <translation>画布视图</translation>
    </message>
    <message>
        <source>Zoom out (Ctrl+-)</source>
        <translation>缩小（Ctrl+-）</translation>
    </message>
    <message>
        <source>Actual size (1)</source>
        <translation>原始大小（1）</translation>
    </message>
    <message>
        <source>Zoom in (Ctrl++)</source>
        <translation>放大（Ctrl++）</translation>
    </message>
    <message>
        <source>Zoom to fit (Ctrl+0)</source>
        <translation>显示全部（Ctrl+0）</translation>
    </message>
    <message>
        <source>Arrange nodes (Ctrl+L)</source>
        <translation>自动排列节点（Ctrl+L）</translation>
    </message>
    <message>
        <source>Snap to grid (G; hold Alt while dragging to disable)</source>
        <translation>对齐网格（G；拖动时按住 Alt 不对齐）</translation>
    </message>
    <message>
        <source>Minimap (M)</source>
        <translation>缩略图（M）</translation>
    </message>
    <message>
        <source>{port} cannot be connected to any port. ← → choose another port, Esc to cancel.</source>
        <translation>{port} 没有可连接的位置。← → 切换该节点的端口，Esc 放弃。</translation>
    </message>
    <message>
        <source>Connect {port} to {target}: ↑ ↓ change target, ← → change port, Enter to connect, Esc to cancel.</source>
        <translation>将 {port} 连接到 {target}：↑ ↓ 切换目标，← → 切换端口，Enter 连接，Esc 放弃。</translation>
    </message>
    <message>
        <source>Drop on a highlighted port to connect, or on the canvas to add a node.</source>
        <translation>放到发亮的端口上即可连接，放到空白处可添加节点。</translation>
    </message>
    <message>
        <source>Drop on a port to reconnect, or on the canvas to disconnect.</source>
        <translation>放到端口上即可接入，放到空白处即断开。</translation>
    </message>
    <message>
        <source>Connect {first} to {second}.</source>
        <translation>连接 {first} 与 {second}。</translation>
    </message>
    <message>
        <source>Minimap</source>
        <translation>缩略图</translation>
    </message>
    <message>
        <source>Click or drag to move the view (M hides the minimap)</source>
        <translation>单击或拖动以查看其他位置（M 键隐藏缩略图）</translation>
    </message>
    <message>
        <source>Node name</source>
        <translation>节点名称</translation>
    </message>
    <message>
        <source>Add a node</source>
        <translation>添加节点</translation>
    </message>
    <message>
        <source>Search for a layer or operator</source>
        <translation>搜索层或运算</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>搜索结果</translation>
    </message>
    <message>
        <source>Replace with…</source>
        <translation>替换为…</translation>
    </message>
    <message>
        <source>Add a layer, or several: conv 32 3 | relu | pool 2</source>
        <translation>添加一层…或一行：conv 32 3 | relu | pool 2</translation>
    </message>
    <message>
        <source>Add a layer or operator…</source>
        <translation>添加层或运算…</translation>
    </message>
    <message>
        <source>↑ ↓ to select · Enter to add · Esc to close</source>
        <translation>↑ ↓ 选择 · Enter 添加 · Esc 关闭</translation>
    </message>
    <message>
        <source>Correct the marked text · Esc to close</source>
        <translation>请改写标出的部分 · Esc 关闭</translation>
    </message>
    <message>
        <source>Enter to add and connect · Esc to close</source>
        <translation>Enter 添加并连接 · Esc 关闭</translation>
    </message>
    <message>
        <source>Enter to add the node · Esc to close</source>
        <translation>Enter 添加该节点 · Esc 关闭</translation>
    </message>
    <message>
        <source>Enter to add {count} connected nodes · Esc to close</source>
        <translation>Enter 添加 {count} 个已连接的节点 · Esc 关闭</translation>
    </message>
    <message>
        <source>Replaces the node · Enter to replace · Esc to close</source>
        <translation>取代该层 · 回车替换 · Esc 关闭</translation>
    </message>
    <message>
        <source>Inserted into the wire · Enter to add · Esc to close</source>
        <translation>插入到连线中 · Enter 添加 · Esc 关闭</translation>
    </message>
    <message>
        <source>↑ ↓ to select · Enter to add and connect · Esc to close</source>
        <translation>↑ ↓ 选择 · Enter 添加并连接 · Esc 关闭</translation>
    </message>
    <message>
        <source>Matches the wire · Enter to add and connect · Esc to close</source>
        <translation>可接此连线 · Enter 添加并连接 · Esc 关闭</translation>
    </message>
    <message>
        <source>No results. Try another word, such as “conv”.</source>
        <translation>没有找到。请换一个词，例如“conv”。</translation>
    </message>
    <message>
        <source>Parameters: {count}</source>
        <translation>参数：{count}</translation>
    </message>
    <message>
        <source>Bypassed: the input is passed through unchanged.</source>
        <translation>已跳过：输入原样传出。</translation>
    </message>
    <message>
        <source>Muted: the output is replaced by zeros.</source>
        <translation>已静音：输出替换为零。</translation>
    </message>
    <message>
        <source>Frozen: its weights do not change during training.</source>
        <translation>已冻结：训练时其权重保持不变。</translation>
    </message>
    <message>
        <source>Pinned: keeps its position when you arrange the model.</source>
        <translation>已固定：自动排列时保持在此处。</translation>
    </message>
    <message>
        <source>Required.</source>
        <translation>必须连接。</translation>
    </message>
    <message>
        <source>Optional.</source>
        <translation>可选。</translation>
    </message>
    <message>
        <source>Drag to connect.</source>
        <translation>拖动以连线。</translation>
    </message>
    <message>
        <source>{node}: Enter settings · F2 rename · C connect · W wires · Del delete</source>
        <translation>{node}：Enter 设置 · F2 重命名 · C 连线 · W 查看连线 · Del 删除</translation>
    </message>
    <message>
        <source>Select a node with wires, then press W.</source>
        <translation>请选择有连线的节点，再按 W 键。</translation>
    </message>
    <message>
        <source>Wire {wire}: W next wire, Del remove, ← → go to its ends.</source>
        <translation>连线 {wire}：W 下一条，Del 删除，← → 跳到两端。</translation>
    </message>
    <message>
        <source>There are no frames or notes here.</source>
        <translation>这里没有边框和便签。</translation>
    </message>
    <message>
        <source>F2 edit · Ctrl+arrow move · Del delete · F next</source>
        <translation>F2 编辑 · Ctrl+方向键移动 · Del 删除 · F 下一个</translation>
    </message>
    <message>
        <source>Nothing is selected.</source>
        <translation>未选择任何内容。</translation>
    </message>
    <message>
        <source>Drop to insert it into the wire {wire}.</source>
        <translation>放下即插入到连线 {wire} 中。</translation>
    </message>
    <message>
        <source>No results</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>{count} results</source>
        <translation>找到 {count} 处</translation>
    </message>
    <message>
        <source>{place} of {count}</source>
        <translation>第 {place} 个，共 {count} 个</translation>
    </message>
    <message>
        <source>Find on the canvas</source>
        <translation>在画布上查找</translation>
    </message>
    <message>
        <source>Name, type or shape</source>
        <translation>名称、类型或形状</translation>
    </message>
    <message>
        <source>Name, type or shape, such as 16×8×8</source>
        <translation>名称、类型或形状，例如 16×8×8</translation>
    </message>
    <message>
        <source>Previous (Shift+Enter)</source>
        <translation>上一个 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next (Enter)</source>
        <translation>下一个 (Enter)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>Separate layers with |. Add parameters after the name, in order or as name=value: conv 32 3 stride=2 | relu | pool 2</source>
        <translation>层与层之间用 | 隔开。设置写在名称之后，可按顺序或写成 名称=值：conv 32 3 stride=2 | relu | pool 2</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Title of the frame</source>
        <translation>边框的标题</translation>
    </message>
    <message>
        <source>Text of the note</source>
        <translation>便签的文字</translation>
    </message>
    <message>
        <source>No gradient flows back through this wire.</source>
        <translation>梯度不会经过这条连线往回传。</translation>
    </message>
    <message>
        <source>Recomputed: {names}.</source>
        <translation>重新计算：{names}。</translation>
    </message>
    <message>
        <source>Recomputed: its activations are computed again in the backward pass.</source>
        <translation>重新计算：它的激活在反向传播时再算一遍。</translation>
    </message>
    <message>
        <source>Ways to begin</source>
        <translation>开始方式</translation>
    </message>
</context>
<context>
    <name>Certificate</name>
    <message>
        <source>Canceled. The run is as it was.</source>
        <translation>已取消。运行保持原样。</translation>
    </message>
    <message>
        <source>Certificate copied</source>
        <translation>证书已复制</translation>
    </message>
    <message>
        <source>Resume certificate of {run}</source>
        <translation>{run} 的恢复证书</translation>
    </message>
    <message>
        <source>Proves that resuming this run changes nothing: a copy of it goes on in one process without interruption, another process resumes from a checkpoint in the middle, and every batch, loss, weight, optimizer state and random state is compared bit by bit. The run itself stays as it is.</source>
        <translation>证明恢复此运行不会改变任何结果：它的副本在一个进程中不间断地继续，另一个进程从中途的检查点恢复，并逐位比较每个批次、损失、权重、优化器状态和随机状态。运行本身保持不变。</translation>
    </message>
    <message>
        <source>Compared</source>
        <translation>比较内容</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Where and when</source>
        <translation>地点与时间</translation>
    </message>
    <message>
        <source>Steps after the resume</source>
        <translation>恢复后的步数</translation>
    </message>
    <message>
        <source>This many steps are compared after the resume; half as many are taken before it. More than an epoch also covers its end: validation, schedule, shuffling.</source>
        <translation>恢复后比较这么多步；恢复前先走一半步数。超过一轮时还会涵盖轮末：验证、调度和打乱。</translation>
    </message>
    <message>
        <source>Begin with</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>Automatic: the newest checkpoint with steps enough before the end of the run, or else the last one, beyond the planned end</source>
        <translation>自动：离运行结束还有足够步数的最新检查点；没有时用最后一个，并超出计划的结束继续</translation>
    </message>
    <message>
        <source>Certify</source>
        <translation>验证续训</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the result and its environment as text</source>
        <translation>把结果及其环境复制为文本</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Weights and buffers</source>
        <translation>权重与缓冲区</translation>
    </message>
    <message>
        <source>Optimizer state</source>
        <translation>优化器状态</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度方式</translation>
    </message>
    <message>
        <source>Techniques</source>
        <translation>技术</translation>
    </message>
    <message>
        <source>Random states</source>
        <translation>随机状态</translation>
    </message>
    <message>
        <source>Compared values</source>
        <translation>比较的值</translation>
    </message>
    <message>
        <source>Not certified yet. The weights, losses, batches and random states of each step will be compared here.</source>
        <translation>尚未验证续训。每一步的权重、损失、批次和随机状态将在此比较。</translation>
    </message>
    <message>
        <source>Not certified: in step {step} {part} differs first ({name}).</source>
        <translation>续训验证未通过：第 {step} 步最先出现差异的是“{part}”（{name}）。</translation>
    </message>
    <message>
        <source>Probable reason: {reason}</source>
        <translation>可能的原因：{reason}</translation>
    </message>
    <message>
        <source>{when} · from {file} · {device} · processes: {processes} · loader workers: {workers} · {system} · {versions}</source>
        <translation>{when} · 起点 {file} · {device} · 进程：{processes} · 加载工作进程：{workers} · {system} · {versions}</translation>
    </message>
    <message>
        <source>Starting the first process…</source>
        <translation>正在启动第一个进程…</translation>
    </message>
    <message>
        <source>First process, without interruption: step {done} of {all}</source>
        <translation>第一个进程（不间断）：第 {done} 步，共 {all} 步</translation>
    </message>
    <message>
        <source>Starting the second process…</source>
        <translation>正在启动第二个进程…</translation>
    </message>
    <message>
        <source>Second process, resumed: step {done} of {all}</source>
        <translation>第二个进程（恢复）：第 {done} 步，共 {all} 步</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Step {step} · {file}</source>
        <translation>第 {step} 步 · {file}</translation>
    </message>
    <message>
        <source>✓ equal</source>
        <translation>✓ 相同</translation>
    </message>
    <message>
        <source>✗ differs in step {step}</source>
        <translation>✗ 第 {step} 步不同</translation>
    </message>
    <message>
        <source>✓ equal up to step {step}</source>
        <translation>✓ 到第 {step} 步相同</translation>
    </message>
    <message>
        <source>equal before step {step}</source>
        <translation>第 {step} 步之前相同</translation>
    </message>
    <message>
        <source>By up to {amount}, in {elements} of {of} numbers.</source>
        <translation>最多相差 {amount}，涉及 {of} 个数中的 {elements} 个。</translation>
    </message>
    <message>
        <source>Certified: after a resume at step {resumed} the next {steps} {steps|step is|steps are} equal bit for bit to those of a process that was never interrupted.</source>
        <translation>续训已验证：在第 {resumed} 步恢复之后，接下来的 {steps} 步与从未中断的进程逐位相同。</translation>
    </message>
</context>
<context>
    <name>Chart</name>
    <message>
        <source>Saved {file}</source>
        <translation>已保存 {file}</translation>
    </message>
    <message>
        <source>Save chart</source>
        <translation>保存图表</translation>
    </message>
</context>
<context>
    <name>ChartBar</name>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Save as PNG…</source>
        <translation>另存为 PNG…</translation>
    </message>
    <message>
        <source>Save as SVG…</source>
        <translation>另存为 SVG…</translation>
    </message>
    <message>
        <source>Save all points as CSV…</source>
        <translation>将所有数据点另存为 CSV…</translation>
    </message>
    <message>
        <source>Copy image</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Smooth the curves; the original values remain visible in a lighter color</source>
        <translation>平滑曲线；原始值以较淡的颜色保留</translation>
    </message>
    <message>
        <source>Horizontal axis</source>
        <translation>横轴的计数方式</translation>
    </message>
    <message>
        <source>Logarithmic vertical axis</source>
        <translation>对数纵轴</translation>
    </message>
    <message>
        <source>Keep the latest point in view while zoomed in</source>
        <translation>放大时始终显示最新的点</translation>
    </message>
    <message>
        <source>Zoom to fit (double-click, 0)</source>
        <translation>显示全部（双击，0）</translation>
    </message>
    <message>
        <source>Save or copy the chart</source>
        <translation>保存或复制图表</translation>
    </message>
</context>
<context>
    <name>ChoiceEditor</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>ClassLegend</name>
    <message>
        <source>Color legend</source>
        <translation>颜色的含义</translation>
    </message>
</context>
<context>
    <name>Cluster</name>
    <message>
        <source>The model is still being checked. Try again in a moment.</source>
        <translation>模型仍在检查中，请稍后再试。</translation>
    </message>
    <message>
        <source>Save Slurm script</source>
        <translation>保存 Slurm 脚本</translation>
    </message>
    <message>
        <source>Batch scripts (*.sh)</source>
        <translation>批处理脚本 (*.sh)</translation>
    </message>
    <message>
        <source>Several machines</source>
        <translation>多台机器</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>机器数</translation>
    </message>
    <message>
        <source>Minimum machines</source>
        <translation>最少台数</translation>
    </message>
    <message>
        <source>The run starts with this many machines; others can join and leave (--nnodes 1:2). When they do, all processes restart from the last checkpoint and divide the same batch among them.</source>
        <translation>有这么多台机器就开始运行，其他机器可以随时加入或离开（--nnodes 1:2）。这时所有进程会从最近的检查点重新开始，并重新分配同一个批次。</translation>
    </message>
    <message>
        <source>Processes per machine</source>
        <translation>每台机器的进程数</translation>
    </message>
    <message>
        <source>With GPUs, use one process per GPU.</source>
        <translation>有 GPU 时，每块 GPU 一个进程。</translation>
    </message>
    <message>
        <source>Address of the first machine</source>
        <translation>第一台机器的地址</translation>
    </message>
    <message>
        <source>The host name or IP address and a free port at which the other machines reach it (MASTER_ADDR and MASTER_PORT). Slurm sets both automatically.</source>
        <translation>其他机器连接它所用的名称或 IP 和一个空闲端口（MASTER_ADDR 和 MASTER_PORT）。Slurm 会自行找到二者。</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>rank = machine × processes per machine + local rank</source>
        <translation>rank = 机器号 × 每台机器的进程数 + local rank</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境变量</translation>
    </message>
    <message>
        <source>SSH tunnels</source>
        <translation>SSH 隧道</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Slurm script</source>
        <translation>Slurm 脚本</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>连接方式</translation>
    </message>
    <message>
        <source>Direct connection</source>
        <translation>直接连接</translation>
    </message>
    <message>
        <source>Through SSH</source>
        <translation>通过 SSH</translation>
    </message>
    <message>
        <source>With SSH, this machine opens an encrypted tunnel to each of the others (ssh -w), and all ports of the run are inside these tunnels.</source>
        <translation>通过 SSH 时，本机与其他每台机器之间各有一条链路（ssh -w），该运行的所有端口都在这些加密的链路之内。</translation>
    </message>
    <message>
        <source>Other machines</source>
        <translation>其他机器</translation>
    </message>
    <message>
        <source>anna@192.168.0.20, anna@gpu-server:2222</source>
        <translation>用户@192.168.0.20, 用户@gpu-server:2222</translation>
    </message>
    <message>
        <source>user@host or user@host:port of each machine, separated by spaces or commas. This machine is the first one.</source>
        <translation>写出每台机器的 user@host 或 user@host:port，用空格或逗号隔开。本机是第一台。</translation>
    </message>
    <message>
        <source>Port of the first machine</source>
        <translation>第一台机器的端口</translation>
    </message>
    <message>
        <source>Create run</source>
        <translation>创建运行</translation>
    </message>
    <message>
        <source>Create the run folder with the current model and recipe. The run starts once you have started the command on all machines.</source>
        <translation>按当前的模型和训练设置创建运行的文件夹；在所有机器上启动命令后运行开始。</translation>
    </message>
    <message>
        <source>Copy the contents of this tab</source>
        <translation>复制此标签页显示的内容</translation>
    </message>
    <message>
        <source>Save Slurm script…</source>
        <translation>保存 Slurm 脚本…</translation>
    </message>
    <message>
        <source>{count} processes in total, which share the batch of {batch} samples.</source>
        <translation>共 {count} 个进程；它们分担一个批次的 {batch} 个样本。</translation>
    </message>
    <message>
        <source>{run} was created and is waiting for its machines.</source>
        <translation>{run} 已创建，正在等待各台机器。</translation>
    </message>
    <message>
        <source>RUN is a placeholder until the run is created.</source>
        <translation>创建之前，用 RUN 代表该运行。</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Local rank</source>
        <translation>local rank</translation>
    </message>
    <message>
        <source>Samples per batch</source>
        <translation>批次中的样本数</translation>
    </message>
    <message>
        <source>{machine}, as root, once after each restart:</source>
        <translation>{machine}，以 root 执行，每次重启机器后执行一次：</translation>
    </message>
    <message>
        <source>The machines connect at {host}:{port} inside SSH tunnels, which contain all their ports. They cannot be reached from the outside network. Set up the tunnels first (on Linux, as root), then start the command on each machine.</source>
        <translation>它们在 SSH 隧道内的 {host}:{port} 会合，所有端口都在隧道内，外面的网络无法访问。请先建立隧道（Linux，以 root 执行），再在每台机器上启动命令。</translation>
    </message>
    <message>
        <source>Allow only these machines to reach port {port} and the ports that their processes open to each other. Block everybody else with a firewall, a private network or a VPN, or connect the machines through SSH. They authenticate each other with {key} in the run folder, which only you can read.</source>
        <translation>只有这些机器可以访问端口 {port} 以及各进程相互打开的端口：请用防火墙、独立的网络或 VPN 对其他所有人关闭它们，或通过 SSH 连接各台机器。各机器凭运行文件夹中的 {key} 相互识别，该文件只有您能读取。</translation>
    </message>
    <message>
        <source>its /etc/ssh/sshd_config must contain: {setting}</source>
        <translation>其 /etc/ssh/sshd_config 中必须有：{setting}</translation>
    </message>
    <message>
        <source>{machine}, as {user}: the tunnel to {host}, keep it open</source>
        <translation>{machine}，以 {user} 执行：到 {host} 的链路，需保持打开</translation>
    </message>
    <message>
        <source>Machine 0 (this one)</source>
        <translation>机器 0（本机）</translation>
    </message>
    <message>
        <source>Machine {number} ({host})</source>
        <translation>机器 {number}（{host}）</translation>
    </message>
    <message>
        <source>an even share</source>
        <translation>平均分担</translation>
    </message>
    <message>
        <source>{count} processes in total, which share each batch of the batch sampler {name}.</source>
        <translation>共 {count} 个进程；它们分担批采样器 {name} 的每个批次。</translation>
    </message>
</context>
<context>
    <name>Code</name>
    <message>
        <source>Regenerate code</source>
        <translation>重新写出代码</translation>
    </message>
    <message>
        <source>The code was regenerated from the canvas.</source>
        <translation>已按画布重新写出代码。</translation>
    </message>
    <message>
        <source>Edit code</source>
        <translation>编辑代码</translation>
    </message>
    <message>
        <source>The entire model is now a single node: it runs as written, but cannot be shown as nodes. {reason}</source>
        <translation>整个模型现在是一个节点：它按所写的代码运行，但节点无法显示其内容。{reason}</translation>
    </message>
    <message>
        <source>Type a class here, or start on the canvas.</source>
        <translation>在这里输入一个类，或从画布开始。</translation>
    </message>
    <message>
        <source>{count} {count|line|lines}</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>code and canvas in sync</source>
        <translation>文本与画布一致</translation>
    </message>
    <message>
        <source>not updated: the canvas has problems</source>
        <translation>画布有问题，代码等待它们解决</translation>
    </message>
    <message>
        <source>generated from the canvas; type to edit</source>
        <translation>由画布写出，可直接输入修改</translation>
    </message>
    <message>
        <source>fix the problems on the canvas to edit the code</source>
        <translation>先解决画布上的问题，再在这里编辑</translation>
    </message>
    <message>
        <source>Line {line}:</source>
        <translation>第 {line} 行：</translation>
    </message>
    <message>
        <source>Reading code…</source>
        <translation>正在读取代码 …</translation>
    </message>
</context>
<context>
    <name>CodeEditor</name>
    <message>
        <source>Source code</source>
        <translation>源代码</translation>
    </message>
    <message>
        <source>Tab indents. Press Esc, then Tab to move to the next control.</source>
        <translation>Tab 键缩进。按 Esc 后再按 Tab 转到窗口中的下一项。</translation>
    </message>
    <message>
        <source>Suggestions</source>
        <translation>匹配的名称</translation>
    </message>
</context>
<context>
    <name>CodeView</name>
    <message>
        <source>Source of the model</source>
        <translation>模型的源代码</translation>
    </message>
    <message>
        <source>The Python code of the model appears here.</source>
        <translation>模型的 Python 代码将显示在这里。</translation>
    </message>
    <message>
        <source>Sync status</source>
        <translation>文本与画布的状态</translation>
    </message>
    <message>
        <source>Regenerate the code from the canvas; your comments and formatting are lost</source>
        <translation>按画布重新写出代码；您的注释和空格会消失</translation>
    </message>
    <message>
        <source>Find (Ctrl+F)</source>
        <translation>查找（Ctrl+F）</translation>
    </message>
    <message>
        <source>Copy the source</source>
        <translation>复制源代码</translation>
    </message>
    <message>
        <source>Save the source to a file</source>
        <translation>将源代码保存为文件</translation>
    </message>
</context>
<context>
    <name>Columns</name>
    <message>
        <source>number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation>是或否</translation>
    </message>
    <message>
        <source>date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>pictures</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>masks</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>arrays</source>
        <translation>数组</translation>
    </message>
    <message>
        <source>sounds</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>videos</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>name of the row</source>
        <translation>行的名称</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{column} ({kind})</source>
        <translation>{column}（{kind}）</translation>
    </message>
    <message>
        <source>text files</source>
        <translation>文本文件</translation>
    </message>
    <message>
        <source>tags</source>
        <translation>多标签</translation>
    </message>
    <message>
        <source>{column} (no longer in the table)</source>
        <translation>{column}（表格中已没有此列）</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>What do you want to do?</source>
        <translation>想做什么？</translation>
    </message>
    <message>
        <source>Search all commands</source>
        <translation>搜索所有命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>No matching commands</source>
        <translation>没有这样的命令。</translation>
    </message>
</context>
<context>
    <name>Compare</name>
    <message>
        <source>On the canvas</source>
        <translation>画布上</translation>
    </message>
    <message>
        <source>Last saved version</source>
        <translation>上次保存的</translation>
    </message>
    <message>
        <source>Run {name}</source>
        <translation>运行 {name}</translation>
    </message>
    <message>
        <source>Other project…</source>
        <translation>其他项目…</translation>
    </message>
    <message>
        <source>Compare with project</source>
        <translation>与项目比较</translation>
    </message>
    <message>
        <source>Project {name}</source>
        <translation>项目 {name}</translation>
    </message>
    <message>
        <source>Compare models</source>
        <translation>比较模型</translation>
    </message>
    <message>
        <source>First model</source>
        <translation>第一个模型</translation>
    </message>
    <message>
        <source>Second model</source>
        <translation>第二个模型</translation>
    </message>
    <message>
        <source>Both models</source>
        <translation>两个模型</translation>
    </message>
    <message>
        <source>Back to the model</source>
        <translation>返回模型</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Inside {name}: back to the model</source>
        <translation>在 {name} 内：返回模型</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>wire into {port}</source>
        <translation>连到 {port} 的连线</translation>
    </message>
    <message>
        <source>The models are identical, apart from positions and appearance.</source>
        <translation>两者是同一个模型；最多只是位置和外观不同。</translation>
    </message>
    <message>
        <source>Added: {added}. Removed: {removed}. Changed: {changed}.</source>
        <translation>新增：{added}。消失：{removed}。更改：{changed}。</translation>
    </message>
</context>
<context>
    <name>Comparison</name>
    <message>
        <source>Reading the data…</source>
        <translation>正在读取数据…</translation>
    </message>
    <message>
        <source>Reading the checkpoints…</source>
        <translation>正在读取检查点…</translation>
    </message>
    <message>
        <source>Save comparison</source>
        <translation>保存比较结果</translation>
    </message>
    <message>
        <source>comparison</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Comparison of {runs}</source>
        <translation>{runs} 的比较</translation>
    </message>
    <message>
        <source>The comparison was copied to the clipboard.</source>
        <translation>比较结果已复制到剪贴板。</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Second run minus first run</source>
        <translation>第二次运行减去第一次运行</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>Standard deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>These runs trained the same model.</source>
        <translation>这些运行训练的是同一个模型。</translation>
    </message>
    <message>
        <source>custom code differs</source>
        <translation>自定义代码不同</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>Euclidean norm of the weights of the first run</source>
        <translation>第一次运行的权重的欧几里得范数</translation>
    </message>
    <message>
        <source>All layers</source>
        <translation>所有层</translation>
    </message>
    <message>
        <source>only in {run}</source>
        <translation>仅在 {run} 中</translation>
    </message>
    <message>
        <source>missing or different shape</source>
        <translation>不存在或形状不同</translation>
    </message>
    <message>
        <source>Distance</source>
        <translation>距离</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Euclidean norm of the difference (L2)</source>
        <translation>差的欧几里得范数（L2）</translation>
    </message>
    <message>
        <source>Relative</source>
        <translation>相对距离</translation>
    </message>
    <message>
        <source>Distance divided by the norm of the weights of the first run</source>
        <translation>距离除以第一次运行的权重范数</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>Cosine of the angle between the weights: 1 is the same direction</source>
        <translation>两组权重夹角的余弦：1 表示方向相同</translation>
    </message>
    <message>
        <source>No weights to compare for runs without a checkpoint: {runs}.</source>
        <translation>没有检查点就没有可比较的权重：{runs}。</translation>
    </message>
    <message>
        <source>Comparison of the selected runs</source>
        <translation>所选运行的比较</translation>
    </message>
    <message>
        <source>More samples ({shown} of {count})</source>
        <translation>更多样本（{shown}/{count}）</translation>
    </message>
    <message>
        <source>What to compare</source>
        <translation>比较的内容</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>The weights of each run to compare</source>
        <translation>比较每次运行的哪些权重</translation>
    </message>
    <message>
        <source>Last checkpoints</source>
        <translation>最后的检查点</translation>
    </message>
    <message>
        <source>Best checkpoints</source>
        <translation>最佳的检查点</translation>
    </message>
    <message>
        <source>On a canvas</source>
        <translation>在画布上</translation>
    </message>
    <message>
        <source>Show both models together with differences in color</source>
        <translation>同时显示两个模型，不同之处用颜色标出</translation>
    </message>
    <message>
        <source>More samples</source>
        <translation>更多样本</translation>
    </message>
    <message>
        <source>List more of the samples that differ</source>
        <translation>列出更多有差异的样本</translation>
    </message>
    <message>
        <source>Export comparison</source>
        <translation>导出比较结果</translation>
    </message>
    <message>
        <source>Save or copy the whole comparison</source>
        <translation>保存或复制整个比较</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>另存为 CSV…</translation>
    </message>
    <message>
        <source>Save as Markdown…</source>
        <translation>另存为 Markdown…</translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation>复制为 Markdown</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Version of the data</source>
        <translation>数据版本</translation>
    </message>
    <message>
        <source>Samples are compared as long as the files of both runs are unchanged.</source>
        <translation>只有在两次运行的文件都未更改时，才会比较样本。</translation>
    </message>
    <message>
        <source>Samples only in the first run</source>
        <translation>仅在第一次运行中的样本</translation>
    </message>
    <message>
        <source>Samples only in this run</source>
        <translation>仅在本次运行中的样本</translation>
    </message>
    <message>
        <source>Samples in another set</source>
        <translation>位于其他数据集的样本</translation>
    </message>
    <message>
        <source>Samples with another class</source>
        <translation>类别不同的样本</translation>
    </message>
    <message>
        <source>Sample {name}</source>
        <translation>样本 {name}</translation>
    </message>
    <message>
        <source>not used</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>不同</translation>
    </message>
    <message>
        <source>same</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>Data source and its settings</source>
        <translation>数据源及其设置</translation>
    </message>
    <message>
        <source>Contents of the files</source>
        <translation>文件内容</translation>
    </message>
    <message>
        <source>Edits of samples</source>
        <translation>样本编辑</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分</translation>
    </message>
    <message>
        <source>Transforms and normalization</source>
        <translation>变换与归一化</translation>
    </message>
    <message>
        <source>Not finished, so not in mean and standard deviation: {runs}.</source>
        <translation>未训练完，因此不计入平均值和标准差：{runs}。</translation>
    </message>
    <message>
        <source>The mean of the finished runs that have this result</source>
        <translation>有此结果且已训练完的各次运行的平均值</translation>
    </message>
    <message>
        <source>The sample standard deviation of the finished runs that have this result</source>
        <translation>有此结果且已训练完的各次运行的样本标准差</translation>
    </message>
</context>
<context>
    <name>CurveChart</name>
    <message>
        <source>Chart; use the arrow keys to move along the points</source>
        <translation>图表；方向键沿数据点移动</translation>
    </message>
    <message>
        <source>Curves; press Space to show or hide</source>
        <translation>曲线；空格键隐藏或显示</translation>
    </message>
</context>
<context>
    <name>Data</name>
    <message>
        <source>Change data</source>
        <translation>选择数据</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练集</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>验证集</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试集</translation>
    </message>
    <message>
        <source>language model</source>
        <translation>语言模型</translation>
    </message>
    <message>
        <source>sequence to sequence</source>
        <translation>序列到序列</translation>
    </message>
    <message>
        <source>several labels</source>
        <translation>多标签</translation>
    </message>
    <message>
        <source>classification</source>
        <translation>分类</translation>
    </message>
    <message>
        <source>two classes</source>
        <translation>二分类</translation>
    </message>
    <message>
        <source>regression</source>
        <translation>回归</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Look at the samples of each part and at their classes</source>
        <translation>查看各部分的样本及其类别</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>The target is a number, so there are no classes to count.</source>
        <translation>目标是数值，没有类别可统计。</translation>
    </message>
    <message>
        <source>Samples per class</source>
        <translation>各类别的样本数</translation>
    </message>
    <message>
        <source>segmentation</source>
        <translation>分割</translation>
    </message>
    <message>
        <source>object detection</source>
        <translation>目标检测</translation>
    </message>
    <message>
        <source>Pixels per class, in percent of those that have one</source>
        <translation>各类别的像素，占有类别的像素的百分比</translation>
    </message>
    <message>
        <source>Boxes per class</source>
        <translation>各类别的边界框数</translation>
    </message>
    <message>
        <source>{title}, by the splits of the run</source>
        <translation>{title}（按该运行的划分）</translation>
    </message>
    <message>
        <source>The data has no target, so there are no classes to count.</source>
        <translation>数据没有目标，因此没有可统计的类别。</translation>
    </message>
    <message>
        <source>Samples by {name}</source>
        <translation>按 {name} 统计的样本数</translation>
    </message>
    <message>
        <source>Target by color: {low} (blue) to {high} (red)</source>
        <translation>颜色表示目标值：从 {low}（蓝）到 {high}（红）</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Each pixel has a class. Their numbers are not known yet.</source>
        <translation>每个像素都有类别，其数量尚未统计。</translation>
    </message>
    <message>
        <source>The class of a sample is known when it is read, so classes are not counted.</source>
        <translation>样本的类别在读取时才知道，因此不统计各类别的数量。</translation>
    </message>
    <message>
        <source>The target is {count} numbers, so there are no classes to count.</source>
        <translation>目标是 {count} 个数值，没有类别可统计。</translation>
    </message>
    <message>
        <source>This split is empty.</source>
        <translation>此部分为空。</translation>
    </message>
    <message>
        <source>one number</source>
        <translation>单个数值</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>{role}, {shape}, {dtype}</source>
        <translation>{role}，{shape}，{dtype}</translation>
    </message>
    <message>
        <source>, {count} {count|word|words}</source>
        <translation>，{count} 个词</translation>
    </message>
    <message>
        <source>, {count} {count|token|tokens}</source>
        <translation>，{count} 个词元</translation>
    </message>
    <message>
        <source>, {count} {count|class|classes}</source>
        <translation>，{count} 个类别</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>This transform has no settings.</source>
        <translation>此变换没有设置。</translation>
    </message>
    <message>
        <source>automatic (all parts)</source>
        <translation>自动（所有部分）</translation>
    </message>
    <message>
        <source>automatic (training only)</source>
        <translation>自动（仅训练）</translation>
    </message>
    <message>
        <source>training only</source>
        <translation>仅训练</translation>
    </message>
    <message>
        <source>all parts</source>
        <translation>所有部分</translation>
    </message>
    <message>
        <source>Choose kinds and roles in a table of the columns…</source>
        <translation>在列的表格中选择种类和用途…</translation>
    </message>
    <message>
        <source>Suggest workers and batch size…</source>
        <translation>建议工作进程数和批大小…</translation>
    </message>
    <message>
        <source>Data set</source>
        <translation>数据集</translation>
    </message>
    <message>
        <source>{name} ({file})</source>
        <translation>{name}（{file}）</translation>
    </message>
    <message>
        <source>Where the samples come from.</source>
        <translation>样本从哪里来。</translation>
    </message>
    <message>
        <source>Data workspace</source>
        <translation>数据工作区</translation>
    </message>
    <message>
        <source>Data pages</source>
        <translation>数据页面</translation>
    </message>
    <message>
        <source>Data source</source>
        <translation>数据选择</translation>
    </message>
    <message>
        <source>Data of the next run</source>
        <translation>下次运行的数据</translation>
    </message>
    <message>
        <source>Color legend</source>
        <translation>颜色的含义</translation>
    </message>
    <message>
        <source>Split to show</source>
        <translation>显示的部分</translation>
    </message>
    <message>
        <source>Samples as points</source>
        <translation>以散点显示样本</translation>
    </message>
    <message>
        <source>No preview</source>
        <translation>没有预览</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Loading data for the first time takes a few seconds.</source>
        <translation>首次查看数据需要几秒钟。</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>Samples and class balance</source>
        <translation>样本与类别分布</translation>
    </message>
    <message>
        <source>Data source and samples</source>
        <translation>选择与样本</translation>
    </message>
    <message>
        <source>Go to {place}</source>
        <translation>前往 {place}</translation>
    </message>
    <message>
        <source>Mismatches with the model</source>
        <translation>与模型不匹配之处</translation>
    </message>
    <message>
        <source>Locate…</source>
        <translation>重新定位…</translation>
    </message>
    <message>
        <source>Choose where the data are now; Undo goes back to the old path</source>
        <translation>选择数据现在的位置；撤销可恢复原来的路径</translation>
    </message>
    <message>
        <source>({count} more in the Problems panel)</source>
        <translation>（问题列表中还有 {count} 个）</translation>
    </message>
    <message>
        <source>The folder “{name}” is {path} now, for all projects.</source>
        <translation>文件夹“{name}”现在位于 {path}，对所有项目生效。</translation>
    </message>
    <message>
        <source>Folder with the data</source>
        <translation>数据所在的文件夹</translation>
    </message>
    <message>
        <source>File with the data</source>
        <translation>数据文件</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Batch transforms</source>
        <translation>批次变换</translation>
    </message>
    <message>
        <source>Transforms</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>Change the images before the model gets them, and look at it</source>
        <translation>在模型读取图像之前改变图像，并查看效果</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>分布图</translation>
    </message>
    <message>
        <source>All samples as points: what is alike lies together</source>
        <translation>把所有样本画成点：相似的样本彼此靠近</translation>
    </message>
    <message>
        <source>Exclude {count} {count|sample|samples}</source>
        <translation>排除 {count} 个样本</translation>
    </message>
    <message>
        <source>Include {count} {count|sample|samples}</source>
        <translation>恢复 {count} 个样本</translation>
    </message>
    <message>
        <source>Relabel {count} {count|sample|samples}</source>
        <translation>更改 {count} 个样本的类别</translation>
    </message>
    <message>
        <source>Move {count} {count|sample|samples}</source>
        <translation>移动 {count} 个样本</translation>
    </message>
    <message>
        <source>Remove tag of {count} {count|sample|samples}</source>
        <translation>移除 {count} 个样本的标签</translation>
    </message>
    <message>
        <source>Tag {count} {count|sample|samples}</source>
        <translation>为 {count} 个样本加标签</translation>
    </message>
    <message>
        <source>Reset {count} {count|sample|samples}</source>
        <translation>重置 {count} 个样本</translation>
    </message>
    <message>
        <source>Reset {count} {count|edit|edits} of samples</source>
        <translation>重置 {count} 处样本编辑</translation>
    </message>
    <message>
        <source>Health</source>
        <translation>健康</translation>
    </message>
    <message>
        <source>Look for duplicates, leakage, wrong labels, damaged files and odd values</source>
        <translation>查找重复、泄漏、错误的标签、损坏的文件和异常值</translation>
    </message>
    <message>
        <source>Set folder with data</source>
        <translation>设置数据文件夹</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>The way from the files to the model, with the shapes on it</source>
        <translation>从文件到模型的过程，以及途中的形状</translation>
    </message>
    <message>
        <source>The target is a text, so there are no classes to count.</source>
        <translation>目标是文本，没有类别可统计。</translation>
    </message>
    <message>
        <source>evaluation only</source>
        <translation>仅评估</translation>
    </message>
    <message>
        <source>Not used</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>{count} with missing values</source>
        <translation>{count} 个含缺失值</translation>
    </message>
    <message>
        <source>{count} filtered out</source>
        <translation>{count} 个被过滤</translation>
    </message>
    <message>
        <source>{count} damaged {count|file|files}</source>
        <translation>{count} 个文件损坏</translation>
    </message>
    <message>
        <source>{count} excluded</source>
        <translation>{count} 个被排除</translation>
    </message>
    <message>
        <source>{count} in no split</source>
        <translation>{count} 个不在任何数据集中</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Mean, deviation, missing values and classes of each split, and the vocabulary</source>
        <translation>各数据集的平均值、标准差、缺失值和类别，以及词表</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Not in this run</source>
        <translation>不在本次运行中</translation>
    </message>
    <message>
        <source>Samples with each label</source>
        <translation>带有各标签的样本数</translation>
    </message>
</context>
<context>
    <name>DataColumns</name>
    <message>
        <source>Reading the columns…</source>
        <translation>正在读取列…</translation>
    </message>
    <message>
        <source>Choose columns</source>
        <translation>选择列</translation>
    </message>
    <message>
        <source>Columns of the table</source>
        <translation>表格的列</translation>
    </message>
    <message>
        <source>What each column is and what it is used for. Several numbers can be predicted together. The file stays as it is.</source>
        <translation>每一列是什么、用作什么。可以同时预测多个数字。文件保持不变。</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Use the columns so; one step of undo</source>
        <translation>按此使用各列；可一步撤销</translation>
    </message>
</context>
<context>
    <name>DataProject</name>
    <message>
        <source>&amp;Where are the data?</source>
        <translation>数据在哪里？(&amp;W)</translation>
    </message>
    <message>
        <source>What is to be &amp;predicted?</source>
        <translation>要预测什么？(&amp;P)</translation>
    </message>
    <message>
        <source>What is each i&amp;nput?</source>
        <translation>每个输入是什么？(&amp;N)</translation>
    </message>
    <message>
        <source>Which &amp;transforms?</source>
        <translation>用哪些变换？(&amp;T)</translation>
    </message>
    <message>
        <source>Choose a folder or a file, or drop it on the window. Nothing in it is changed.</source>
        <translation>选择文件夹或文件，或把它拖到窗口上。其中的内容不会被更改。</translation>
    </message>
    <message>
        <source>What the model learns to say of each sample.</source>
        <translation>模型要学会对每个样本说出什么。</translation>
    </message>
    <message>
        <source>How what is in the files becomes numbers.</source>
        <translation>文件中的内容如何变成数字。</translation>
    </message>
    <message>
        <source>How are they &amp;split?</source>
        <translation>如何划分？(&amp;S)</translation>
    </message>
    <message>
        <source>The model learns from the training split, is watched on the validation split, and judged at the end on the test split.</source>
        <translation>模型从训练集学习，用验证集观察，最后用测试集评判。</translation>
    </message>
    <message>
        <source>The file has the outline of each object, too. To find its pixels and not only its box, switch “Masks of objects” on under “What is to be predicted?”; the first model is then a Mask R-CNN, which takes longer to train.</source>
        <translation>文件中还有每个目标的轮廓。如果不仅要找到边界框，还要找到目标的像素，请在“要预测什么？”中打开“目标的掩码”；第一个模型将是 Mask R-CNN，训练时间更长。</translation>
    </message>
    <message>
        <source>The rows are in the order of “{column}”, so they are split by time: the model is judged on the latest ones, as it will be used. At random it could learn from the future.</source>
        <translation>各行按“{column}”的时间顺序排列，因此按时间划分：用最新的行评判模型，正如它将来的用法。随机划分时，它可能会从未来学习。</translation>
    </message>
    <message>
        <source>The folder has masks and boxes. Masks were chosen because they say more: the class of each pixel. For the boxes choose “{reader}” above.</source>
        <translation>该文件夹既有掩码也有边界框。选择了掩码，因为它们包含的信息更多：每个像素的类别。若要使用边界框，请在上方选择“{reader}”。</translation>
    </message>
    <message>
        <source>Looking at the data…</source>
        <translation>正在查看数据…</translation>
    </message>
    <message>
        <source>{number} {count|sample|samples}</source>
        <translation>{number} 个样本</translation>
    </message>
    <message>
        <source>{source}, {samples}</source>
        <translation>{source}，{samples}</translation>
    </message>
    <message>
        <source>nothing: there are no labels</source>
        <translation>无：没有标签</translation>
    </message>
    <message>
        <source>a sequence of {count} different {count|token|tokens}</source>
        <translation>由 {count} 种词元组成的序列</translation>
    </message>
    <message>
        <source>one of {count} {count|class|classes}: {names}</source>
        <translation>{count} 个类别之一：{names}</translation>
    </message>
    <message>
        <source>boxes of {count} {count|class|classes}: {names}</source>
        <translation>{count} 个类别的边界框：{names}</translation>
    </message>
    <message>
        <source>each pixel one of {count} {count|class|classes}: {names}</source>
        <translation>每个像素为 {count} 个类别之一：{names}</translation>
    </message>
    <message>
        <source>numbers: {names}</source>
        <translation>数字：{names}</translation>
    </message>
    <message>
        <source>at random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>shares of classes kept</source>
        <translation>保持类别比例</translation>
    </message>
    <message>
        <source>by groups</source>
        <translation>按组</translation>
    </message>
    <message>
        <source>by a column</source>
        <translation>按列</translation>
    </message>
    <message>
        <source>as the data say</source>
        <translation>数据自带</translation>
    </message>
    <message>
        <source>by time</source>
        <translation>按时间</translation>
    </message>
    <message>
        <source>in their order</source>
        <translation>按原有顺序</translation>
    </message>
    <message>
        <source>{kind}, {folds} folds</source>
        <translation>{kind}，{folds} 折</translation>
    </message>
    <message>
        <source>{count} {count|column|columns} used</source>
        <translation>使用 {count} 列</translation>
    </message>
    <message>
        <source>{used}, {count} ignored</source>
        <translation>{used}，忽略 {count} 列</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>No augmentation</source>
        <translation>不做数据增强</translation>
    </message>
    <message>
        <source>Light: moved in time, louder or quieter</source>
        <translation>轻度：时间平移、音量变化</translation>
    </message>
    <message>
        <source>Strong: also with noise, or parts masked</source>
        <translation>强：再加入噪声或遮盖部分内容</translation>
    </message>
    <message>
        <source>Mean 0, deviation 1 (by the training split)</source>
        <translation>均值 0，标准差 1（按训练集）</translation>
    </message>
    <message>
        <source>From 0 to 1 (by the training split)</source>
        <translation>从 0 到 1（按训练集）</translation>
    </message>
    <message>
        <source>Light: shifted and mirrored</source>
        <translation>轻度：平移和镜像</translation>
    </message>
    <message>
        <source>Augmentation changes samples at random, in training only, so that few do for more. Normalization brings numbers to a common size.</source>
        <translation>数据增强只在训练时随机改变样本，让少量样本发挥更大作用。归一化把数字调整到相同的大小。</translation>
    </message>
    <message>
        <source>Augmentation is for pictures, videos and sounds; these data have none.</source>
        <translation>数据增强用于图片、视频和声音；这些数据中没有。</translation>
    </message>
    <message>
        <source>Strong: cropped, mirrored, other colors</source>
        <translation>强：裁剪、镜像、改变颜色</translation>
    </message>
    <message>
        <source>Photographs: as for models of ImageNet</source>
        <translation>照片：与 ImageNet 模型相同</translation>
    </message>
    <message>
        <source>Not normalized</source>
        <translation>不归一化</translation>
    </message>
    <message>
        <source>ImageNet&apos;s mean and deviation</source>
        <translation>ImageNet 的均值和标准差</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>to predict</source>
        <translation>要预测</translation>
    </message>
    <message>
        <source>group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>ignored</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>First lines</source>
        <translation>前几行</translation>
    </message>
    <message>
        <source>Pictures in a folder, a table, arrays or a text appear here as soon as you choose them.</source>
        <translation>选择后，文件夹中的图片、表格、数组或文本会立即显示在这里。</translation>
    </message>
    <message>
        <source>There is nothing to show.</source>
        <translation>没有可显示的内容。</translation>
    </message>
    <message>
        <source>There is no first model for this kind of data: draw one on the canvas.</source>
        <translation>这种数据没有初始模型：请在画布上画一个。</translation>
    </message>
    <message>
        <source>New project for your data</source>
        <translation>用自己的数据新建项目</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Augmentation</source>
        <translation>数据增强</translation>
    </message>
    <message>
        <source>First model</source>
        <translation>第一个模型</translation>
    </message>
    <message>
        <source>Small: learns in minutes</source>
        <translation>小：几分钟学会</translation>
    </message>
    <message>
        <source>Large: for more samples and time</source>
        <translation>大：用于更多样本和时间</translation>
    </message>
    <message>
        <source>Project folder</source>
        <translation>项目文件夹</translation>
    </message>
    <message>
        <source>Proposal</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Read as</source>
        <translation>读取方式</translation>
    </message>
    <message>
        <source>A folder of pictures, sounds or videos, a table, arrays or a text</source>
        <translation>图片、声音或视频文件夹、表格、数组或文本</translation>
    </message>
    <message>
        <source>Sheet or table</source>
        <translation>工作表或数据表</translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>About this question</source>
        <translation>关于这个问题</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>F&amp;ile…</source>
        <translation>文件(&amp;I)…</translation>
    </message>
    <message>
        <source>F&amp;older…</source>
        <translation>文件夹(&amp;O)…</translation>
    </message>
    <message>
        <source>Make the project with the answers as they stand (Ctrl+Enter)</source>
        <translation>按当前的回答创建项目（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Create and train</source>
        <translation>创建并训练</translation>
    </message>
    <message>
        <source>Make the project with the answers as they stand and start its training (Ctrl+Shift+Enter)</source>
        <translation>按当前的回答创建项目并开始训练（Ctrl+Shift+Enter）</translation>
    </message>
    <message>
        <source>File with the data</source>
        <translation>数据文件</translation>
    </message>
    <message>
        <source>Folder with the data</source>
        <translation>数据所在的文件夹</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Used as</source>
        <translation>用作</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>{count} more {count|column|columns}: name them in the Data workspace.</source>
        <translation>还有 {count} 列：可在数据工作区中指定。</translation>
    </message>
    <message>
        <source>{count} missing</source>
        <translation>缺失 {count} 个</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Samples and classes</source>
        <translation>样本和类别</translation>
    </message>
    <message>
        <source>Training samples as the model gets them, drawn anew in every epoch.</source>
        <translation>模型得到的训练样本，每一轮都重新抽取。</translation>
    </message>
    <message>
        <source>Training samples as the model gets them, the same in every epoch: there is no augmentation.</source>
        <translation>模型得到的训练样本，每一轮都相同：没有数据增强。</translation>
    </message>
    <message>
        <source>Draw other random numbers, as in another epoch (R)</source>
        <translation>像在另一轮中那样抽取其他随机数（R）</translation>
    </message>
    <message>
        <source>Nothing is random: choose an augmentation above</source>
        <translation>没有随机变换：请在上方选择一种数据增强</translation>
    </message>
    <message>
        <source>Reading training samples…</source>
        <translation>正在读取训练样本…</translation>
    </message>
    <message>
        <source>Samples as drawn</source>
        <translation>抽取的样本</translation>
    </message>
    <message>
        <source>What is shown</source>
        <translation>所显示的内容</translation>
    </message>
    <message>
        <source>New draw</source>
        <translation>重新抽取</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>The model predicts from it.</source>
        <translation>模型据此预测。</translation>
    </message>
    <message>
        <source>The model learns to say it.</source>
        <translation>模型要学会给出它。</translation>
    </message>
    <message>
        <source>Rows with the same value, such as those of one patient, belong together: a split by group keeps them in one set.</source>
        <translation>值相同的行（例如同一位病人的）属于一起：按组划分时会留在同一部分。</translation>
    </message>
    <message>
        <source>How much the loss of a row counts, a number from 0 on: a row with 2 counts twice as much as one with 1, a row with 0 does not count. Predicting does not need it.</source>
        <translation>每一行的损失算多少，为不小于 0 的数：2 的行所算的是 1 的行的两倍，0 的行不算。预测时不需要它。</translation>
    </message>
    <message>
        <source>It is not used.</source>
        <translation>不使用。</translation>
    </message>
    <message>
        <source>To predict several numbers together, or several labels of which each is a column of yes and no, mark them “to predict” under “What is each input?”.</source>
        <translation>要同时预测多个数字，或多个标签（每个标签是一个是/否列），请在“每个输入是什么？”中把它们设为“要预测”。</translation>
    </message>
    <message>
        <source>{count} {count|label|labels}, each yes or no: {names}</source>
        <translation>{count} 个标签，各为是或否：{names}</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>“{name}” has tensors of the same length, whose names do not say whether they are samples or weights of a model.</source>
        <translation>“{name}”中的张量长度相同，从名称看不出它们是样本还是模型的权重。</translation>
    </message>
    <message>
        <source>Data or weights?</source>
        <translation>数据还是权重？</translation>
    </message>
    <message>
        <source>Train on them</source>
        <translation>用于训练</translation>
    </message>
    <message>
        <source>Load them as weights</source>
        <translation>作为权重加载</translation>
    </message>
</context>
<context>
    <name>DataRoots</name>
    <message>
        <source>Folder with data</source>
        <translation>数据文件夹</translation>
    </message>
    <message>
        <source>Folders with data</source>
        <translation>数据文件夹</translation>
    </message>
    <message>
        <source>Data in one of these folders is saved in a project by the name of the folder, so the project also finds it on a computer where the folder is elsewhere. Data inside the project folder needs no name.</source>
        <translation>位于这些文件夹中的数据会按文件夹的名称保存在项目中，因此在文件夹位置不同的计算机上，项目也能找到数据。项目文件夹内的数据不需要名称。</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>计算机</translation>
    </message>
    <message>
        <source>For runs on another machine: where the folders are there (by default at the same path as here)</source>
        <translation>用于在另一台机器上的运行：这些文件夹在那里的位置（默认与本机路径相同）</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>The same on all computers: letters, digits, _ and -</source>
        <translation>在所有计算机上相同：字母、数字、_ 和 -</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>The whole path of the folder on this computer</source>
        <translation>该文件夹在这台计算机上的完整路径</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Add the folder, or change where the one of that name is</source>
        <translation>添加该文件夹，或更改同名文件夹的位置</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Press Del. Nothing is deleted from the disk.</source>
        <translation>按 Del。磁盘上的内容不会被删除。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Revert the last change of this list</source>
        <translation>撤销对此列表的上一次更改</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>not there</source>
        <translation>不存在</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>这台计算机</translation>
    </message>
</context>
<context>
    <name>Debugger</name>
    <message>
        <source>“{text}” is not valid here. Enter a value such as {example}.</source>
        <translation>“{text}”不适用于此处，例如可填 {example}。</translation>
    </message>
    <message>
        <source>Disable</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Enable</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>“{text}” is not an index of a tensor of shape {shape}.</source>
        <translation>“{text}”不是形状为 {shape} 的张量的索引。</translation>
    </message>
    <message>
        <source>All of {tensor} =</source>
        <translation>整个 {tensor} =</translation>
    </message>
    <message>
        <source>The run is not paused within a step</source>
        <translation>运行没有停在某一步之内</translation>
    </message>
    <message>
        <source>The run stops before a layer with a breakpoint, or when you step. Here you can view and change its tensors. Stopping does not affect the training results.</source>
        <translation>运行会停在设有断点的层之前，或停在指定之处；在这里可以查看和更改其张量。之后训练会与不停下时完全一样地继续。</translation>
    </message>
    <message>
        <source>Stop before the first layer</source>
        <translation>停在第一层之前</translation>
    </message>
    <message>
        <source>Train and stop before the first layer</source>
        <translation>训练并停在第一层之前</translation>
    </message>
    <message>
        <source>Start of step</source>
        <translation>某一步的开始</translation>
    </message>
    <message>
        <source>Loss above</source>
        <translation>损失大于</translation>
    </message>
    <message>
        <source>Gradient norm above</source>
        <translation>梯度范数大于</translation>
    </message>
    <message>
        <source>NaN or infinite value</source>
        <translation>NaN 或无穷大的值</translation>
    </message>
    <message>
        <source>Backward Function</source>
        <translation>反向 Function</translation>
    </message>
    <message>
        <source>Condition</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>On</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Breakpoint</source>
        <translation>断点</translation>
    </message>
    <message>
        <source>Only if</source>
        <translation>仅当</translation>
    </message>
    <message>
        <source>Press Enter to enable or disable it, Del to remove it</source>
        <translation>Enter 启用或停用，Del 删除</translation>
    </message>
    <message>
        <source>No breakpoints yet. Select a layer on the canvas and press F9, or add one.</source>
        <translation>还没有断点。在画布上选中一层并按 F9，或在此添加。</translation>
    </message>
    <message>
        <source>{breakpoint} if {condition}</source>
        <translation>{breakpoint}，仅当 {condition}</translation>
    </message>
    <message>
        <source>Layer {name}</source>
        <translation>层 {name}</translation>
    </message>
    <message>
        <source>Gradient of layer {name}</source>
        <translation>层 {name} 的梯度</translation>
    </message>
    <message>
        <source>Function {name}</source>
        <translation>Function {name}</translation>
    </message>
    <message>
        <source>Start of step {value}</source>
        <translation>第 {value} 步的开始</translation>
    </message>
    <message>
        <source>Loss above {value}</source>
        <translation>损失大于 {value}</translation>
    </message>
    <message>
        <source>Gradient norm above {value}</source>
        <translation>梯度范数大于 {value}</translation>
    </message>
    <message>
        <source>Function {name} of {layer}</source>
        <translation>{layer} 的 Function {name}</translation>
    </message>
    <message>
        <source>(no longer exists)</source>
        <translation>（已不存在）</translation>
    </message>
    <message>
        <source>Step {step}, forward: before {name} (line {line})</source>
        <translation>第 {step} 步，前向：{name} 之前（第 {line} 行）</translation>
    </message>
    <message>
        <source>Step {step}: loss computed, backward pass next</source>
        <translation>第 {step} 步：损失已算出，接下来是反向</translation>
    </message>
    <message>
        <source>Step {step}, backward: before {function} of {name}</source>
        <translation>第 {step} 步，反向：{name} 的 {function} 之前</translation>
    </message>
    <message>
        <source>Step {step}: gradients computed, optimizer next</source>
        <translation>第 {step} 步：梯度已就绪，接下来是优化器</translation>
    </message>
    <message>
        <source>Step {step}: optimizer has updated the weights</source>
        <translation>第 {step} 步：优化器已更改权重</translation>
    </message>
    <message>
        <source>Step {step}, backward: before {function}</source>
        <translation>第 {step} 步，反向：{function} 之前</translation>
    </message>
    <message>
        <source>Step {step}, forward: before {name}</source>
        <translation>第 {step} 步，前向：{name} 之前</translation>
    </message>
    <message>
        <source>{place}. {tensor} contains NaN or infinite values</source>
        <translation>{place}。{tensor} 中有 NaN 或无穷大的值</translation>
    </message>
    <message>
        <source>{place}. The loss exceeds a breakpoint</source>
        <translation>{place}。损失超过了断点所设的值</translation>
    </message>
    <message>
        <source>{place}. The gradient norm exceeds a breakpoint</source>
        <translation>{place}。梯度范数超过了断点所设的值</translation>
    </message>
    <message>
        <source>{place}. A condition became true</source>
        <translation>{place}。条件开始成立</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>Std. deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>Not finite</source>
        <translation>非有限值</translation>
    </message>
    <message>
        <source>Number of NaN or infinite values</source>
        <translation>有多少个值是 NaN 或无穷大</translation>
    </message>
    <message>
        <source>No tensors here.</source>
        <translation>这里没有张量。</translation>
    </message>
    <message>
        <source>variable</source>
        <translation>变量</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>incoming gradient</source>
        <translation>传入的梯度</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>Index</source>
        <translation>索引</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Select a tensor to see its values.</source>
        <translation>选择一个张量以查看其值。</translation>
    </message>
    <message>
        <source>Values {first} to {last} of {count}, from</source>
        <translation>第 {first} 至 {last} 个值，共 {count} 个，起始于</translation>
    </message>
    <message>
        <source>Debugger</source>
        <translation>调试器</translation>
    </message>
    <message>
        <source>Current position</source>
        <translation>运行停在哪里</translation>
    </message>
    <message>
        <source>The run is not paused</source>
        <translation>运行没有停下</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Debugger panels</source>
        <translation>调试器的各部分</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Continue to the next breakpoint (F8)</source>
        <translation>继续训练到下一个断点（F8）</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Run this layer and stop before the next one (F7)</source>
        <translation>计算此层，并停在下一层之前（F7）</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>Function</translation>
    </message>
    <message>
        <source>Stop before the next backward Function (Shift+F7)</source>
        <translation>停在下一个反向 Function 之前（Shift+F7）</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Stop before the optimizer updates the weights, then after</source>
        <translation>先停在优化器更改权重之前，再停在其后</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Stop before the first layer of the next batch (F10)</source>
        <translation>以下一批停在第一层之前（F10）</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>Stop before the first layer of the next epoch</source>
        <translation>停在下一轮的第一层之前</translation>
    </message>
    <message>
        <source>Breakpoints</source>
        <translation>断点</translation>
    </message>
    <message>
        <source>Breakpoint error</source>
        <translation>断点的问题</translation>
    </message>
    <message>
        <source>Breakpoint type</source>
        <translation>断点的种类</translation>
    </message>
    <message>
        <source>What stops the run</source>
        <translation>运行在何处停下</translation>
    </message>
    <message>
        <source>Breakpoint value</source>
        <translation>断点的值</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add breakpoint</source>
        <translation>添加断点</translation>
    </message>
    <message>
        <source>Breakpoint condition</source>
        <translation>断点的条件</translation>
    </message>
    <message>
        <source>loss &gt; 3 and hits &gt;= 10</source>
        <translation>loss &gt; 3 and hits &gt;= 10</translation>
    </message>
    <message>
        <source>The run stops at the selected breakpoint only if this condition is true (press Enter to apply). Use numbers, comparisons, and, or, not, with step, epoch, loss, grad_norm (the last computed value), nan (a value here is not finite) and hits (how often the run has reached this point).</source>
        <translation>仅当条件成立时，运行才会在所选断点处停下（按 Enter 确定）。可以使用数字、比较、and、or、not，以及 step、epoch、loss、grad_norm（最近一次的计算结果）、nan（此处有非有限值）和 hits（运行到达此处的次数）</translation>
    </message>
    <message>
        <source>Values of the tensor</source>
        <translation>张量的值</translation>
    </message>
    <message>
        <source>New value</source>
        <translation>新值</translation>
    </message>
    <message>
        <source>0.5, x * 2, clamp(x, 0, 1)…</source>
        <translation>0.5、x * 2、clamp(x, 0, 1)…</translation>
    </message>
    <message>
        <source>Use numbers, x (the current values) and functions such as zeros_like(x). If a row is selected above, only that value changes.</source>
        <translation>可以使用数字、x（现有的值）以及 zeros_like(x) 之类的函数。上方选中一行时只更改那一个值。</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Set value</source>
        <translation>设置该值</translation>
    </message>
    <message>
        <source>Value error</source>
        <translation>新值有什么问题</translation>
    </message>
    <message>
        <source>Values shown</source>
        <translation>显示哪些值</translation>
    </message>
    <message>
        <source>Index of the first value</source>
        <translation>第一个值的索引</translation>
    </message>
    <message>
        <source>Show values starting at this index (press Enter to apply), such as 0, 3</source>
        <translation>从该索引开始显示值（回车），例如 0, 3</translation>
    </message>
</context>
<context>
    <name>Devices</name>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>About the GPUs</source>
        <translation>关于 GPU 的说明</translation>
    </message>
    <message>
        <source>GPUs of a run</source>
        <translation>运行使用的 GPU</translation>
    </message>
    <message>
        <source>A run only sees the selected GPUs, renumbered from cuda:0 (CUDA_VISIBLE_DEVICES). Set the memory limit and device in the Train workspace.</source>
        <translation>运行只看到勾选的 GPU，并从 cuda:0 起重新编号（CUDA_VISIBLE_DEVICES）。内存上限和设备在“训练”工作区的表单中。</translation>
    </message>
    <message>
        <source>Free GPU cache</source>
        <translation>释放 GPU 缓存</translation>
    </message>
    <message>
        <source>Devices of this machine</source>
        <translation>本机的设备</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>In the run</source>
        <translation>在运行中</translation>
    </message>
    <message>
        <source>Apple GPU</source>
        <translation>苹果 GPU</translation>
    </message>
    <message>
        <source>PyTorch is still loading; its devices are not known yet.</source>
        <translation>PyTorch 仍在加载，尚不知道有哪些设备。</translation>
    </message>
    <message>
        <source>Runs choose a device automatically (auto): {device}.</source>
        <translation>运行自行选择（auto）：{device}。</translation>
    </message>
    <message>
        <source>The run uses {device}.</source>
        <translation>运行在 {device} 上计算。</translation>
    </message>
    <message>
        <source>This machine has no GPU.</source>
        <translation>这台机器没有 GPU。</translation>
    </message>
    <message>
        <source>No active run uses GPU memory.</source>
        <translation>当前没有占用 GPU 内存的运行。</translation>
    </message>
    <message>
        <source>Release memory that PyTorch has cached (empty_cache) for other programs. Weights and tensors are kept; the next steps are slower until it is allocated again.</source>
        <translation>让运行归还 PyTorch 留作备用的内存（empty_cache），供其他程序使用。权重和张量保留；接下来的几步会慢一些，直到它再次取得内存。</translation>
    </message>
    <message>
        <source>{count} {count|core|cores}</source>
        <translation>{count} 个核心</translation>
    </message>
    <message>
        <source>Load of each core: {cores}</source>
        <translation>每个核心的负载：{cores}</translation>
    </message>
    <message>
        <source>not visible</source>
        <translation>看不到</translation>
    </message>
    <message>
        <source>{used} of {total}</source>
        <translation>{used}，共 {total}</translation>
    </message>
</context>
<context>
    <name>Dialog</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>复制全部</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
</context>
<context>
    <name>Doctor</name>
    <message>
        <source>Fix these problems first. The model cannot be trained.</source>
        <translation>需要先修正这一点：模型无法训练。</translation>
    </message>
    <message>
        <source>Done: {what}. Examining the model again.</source>
        <translation>已完成：{what}。正在重新检查模型。</translation>
    </message>
    <message>
        <source>Not examined yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>Check the model before a long run: can it overfit one batch, does the initial loss match guessing, do all layers receive gradients, are units dead, do samples leak?</source>
        <translation>在长时间运行之前：模型能否记住一批数据，初始损失是否等于随机猜测，各层是否都有梯度，是否有失活单元，样本是否泄漏？</translation>
    </message>
    <message>
        <source>Examine model</source>
        <translation>检查模型</translation>
    </message>
    <message>
        <source>initial loss</source>
        <translation>初始损失</translation>
    </message>
    <message>
        <source>overfits one batch</source>
        <translation>能过拟合一批数据</translation>
    </message>
    <message>
        <source>update size</source>
        <translation>更新幅度</translation>
    </message>
    <message>
        <source>gradients in all layers</source>
        <translation>各层的梯度</translation>
    </message>
    <message>
        <source>no dead ReLU units</source>
        <translation>无失活的 ReLU 单元</translation>
    </message>
    <message>
        <source>no unused parameters</source>
        <translation>无未使用的参数</translation>
    </message>
    <message>
        <source>no leaks between samples</source>
        <translation>样本之间无泄漏</translation>
    </message>
    <message>
        <source>no leaks between splits</source>
        <translation>各划分之间无泄漏</translation>
    </message>
    <message>
        <source>class balance</source>
        <translation>类别的平衡</translation>
    </message>
    <message>
        <source>Data loading: {count} samples per second.</source>
        <translation>数据以每秒 {count} 个样本的速度到达。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Passed: {checks}.</source>
        <translation>通过：{checks}。</translation>
    </message>
    <message>
        <source>Loss on one batch</source>
        <translation>一批数据上的损失</translation>
    </message>
    <message>
        <source>guessing ({loss})</source>
        <translation>随机猜测（{loss}）</translation>
    </message>
    <message>
        <source>Steps on a single batch</source>
        <translation>在同一批数据上的步数</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>体检</translation>
    </message>
    <message>
        <source>Findings and loss</source>
        <translation>结果与损失</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Checks passed</source>
        <translation>正常的项目</translation>
    </message>
    <message>
        <source>Last checkpoint of {run}</source>
        <translation>{run} 的最后检查点</translation>
    </message>
    <message>
        <source>Examining…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>A copy of the model trains on one batch for a few seconds.</source>
        <translation>模型的一个副本在一批数据上训练数秒。</translation>
    </message>
    <message>
        <source>What to examine</source>
        <translation>检查对象</translation>
    </message>
    <message>
        <source>Model on the canvas</source>
        <translation>画布上的模型</translation>
    </message>
    <message>
        <source>Examine</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Train a copy on one batch, measure gradients, updates and dead units, and compare the data splits</source>
        <translation>让副本在一批数据上训练，测量梯度、步长和沉默单元，并比较数据的各部分</translation>
    </message>
    <message>
        <source>Testing fixes for the findings…</source>
        <translation>正在测试修复方法…</translation>
    </message>
    <message>
        <source>Not applicable: {checks}.</source>
        <translation>不适用：{checks}。</translation>
    </message>
</context>
<context>
    <name>Download</name>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Canceled. What came so far is kept; download again to continue.</source>
        <translation>已取消。已下载的部分会保留；再次下载即可继续。</translation>
    </message>
    <message>
        <source>The data set is ready.</source>
        <translation>数据集已就绪。</translation>
    </message>
    <message>
        <source>Download data set</source>
        <translation>下载数据集</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>The folder that the data set is downloaded into, laid out as torchvision does: one folder can hold several data sets, and other programs find them there</source>
        <translation>数据集下载到的文件夹，按 torchvision 的方式存放：一个文件夹可以放多个数据集，其他程序也能在那里找到它们</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Folder to download into</source>
        <translation>下载到的文件夹</translation>
    </message>
    <message>
        <source>Unpacking {file}</source>
        <translation>正在解压 {file}</translation>
    </message>
    <message>
        <source>{file}: {done} of {total} MB</source>
        <translation>{file}：{done} / {total} MB</translation>
    </message>
    <message>
        <source>{file}: {done} MB</source>
        <translation>{file}：{done} MB</translation>
    </message>
</context>
<context>
    <name>DrawPad</name>
    <message>
        <source>Drawing pad</source>
        <translation>画板</translation>
    </message>
    <message>
        <source>Draw with the mouse, drop an image, or press Delete to clear</source>
        <translation>用鼠标绘制、拖入图片，或按 Delete 清除</translation>
    </message>
    <message>
        <source>Draw with the left button, erase with the right button, or drop an image</source>
        <translation>左键绘制，右键擦除，或拖入图片</translation>
    </message>
    <message>
        <source>Model input</source>
        <translation>模型看到的</translation>
    </message>
</context>
<context>
    <name>Export</name>
    <message>
        <source>Canceled. Nothing was written.</source>
        <translation>已取消，没有写入任何内容。</translation>
    </message>
    <message>
        <source>Exported.</source>
        <translation>已导出。</translation>
    </message>
    <message>
        <source>Replace {file}?</source>
        <translation>替换 {file}？</translation>
    </message>
    <message>
        <source>An item with that name already exists in {folder}.</source>
        <translation>{folder} 中已有同名的内容。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Weights: state_dict (.pt)</source>
        <translation>权重：state_dict（.pt）</translation>
    </message>
    <message>
        <source>The weights by name, for torch.load.</source>
        <translation>按名称保存的权重，由 torch.save 写入，用 torch.load 读取。</translation>
    </message>
    <message>
        <source>Weights: safetensors</source>
        <translation>权重：safetensors</translation>
    </message>
    <message>
        <source>The weights in a format that cannot contain code and loads quickly.</source>
        <translation>保存在不含代码且加载迅速的文件中的权重。</translation>
    </message>
    <message>
        <source>Python file and weights</source>
        <translation>Python 文件和权重</translation>
    </message>
    <message>
        <source>The class as trained and a function that loads its weights. Runs without Trellis.</source>
        <translation>训练时所用的类以及加载权重的代码；无需 Trellis 即可运行。</translation>
    </message>
    <message>
        <source>Python class with training code</source>
        <translation>带训练代码的 Python 类</translation>
    </message>
    <message>
        <source>The class with its loss, metric, optimizer, learning rate schedule and precision, and a fit() method to continue training without Trellis. The weights, a list of the samples and a README are saved beside it: with --data PATH it trains on another machine.</source>
        <translation>模型的类，含损失、指标、优化器、学习率调度和精度，以及不用 Trellis 也能继续训练的 fit() 方法。权重、样本列表和 README 保存在旁边：加上 --data PATH 即可在另一台计算机上训练。</translation>
    </message>
    <message>
        <source>Python project (.zip)</source>
        <translation>Python 项目（.zip）</translation>
    </message>
    <message>
        <source>A package with the model, its training code and the weights, commands that train, evaluate and predict your own files, tests, a README and a pyproject.toml. Another process unpacks it and computes the same on samples of yours.</source>
        <translation>一个包，含有模型、训练代码和权重，用于训练、评估以及预测您自己的文件的命令，测试、README 和 pyproject.toml。另一个进程会将其解压，并在您的样本上算出同样的结果。</translation>
    </message>
    <message>
        <source>Jupyter notebook (.ipynb)</source>
        <translation>Jupyter 笔记本（.ipynb）</translation>
    </message>
    <message>
        <source>Cells with the model, its data, training with the losses of the run, evaluation and predictions of your own files. The weights and a list of the samples are saved beside it. Another process runs the definitions and computes the same on samples of yours.</source>
        <translation>单元中包含模型、数据、与该运行损失相同的训练、评估，以及对您自己的文件的预测。权重和样本列表保存在旁边。另一个进程会运行这些定义，并在您的样本上算出相同的结果。</translation>
    </message>
    <message>
        <source>Hugging Face folder (.zip)</source>
        <translation>Hugging Face 文件夹（.zip）</translation>
    </message>
    <message>
        <source>config.json, model.safetensors, a model card, and modeling.py with the class, which reads your data as in training: transformers does not know a model of your own. Unpack it and share it with hf upload. Another process unpacks it and computes the same on samples of yours.</source>
        <translation>config.json、model.safetensors、模型卡片，以及含有类并像训练时那样读取您的数据的 modeling.py：transformers 不认识您自己的模型。解压后用 hf upload 共享。另一个进程会解压它，并在您的样本上算出相同的结果。</translation>
    </message>
    <message>
        <source>Whole model: pickle (.pt)</source>
        <translation>整个模型：pickle（.pt）</translation>
    </message>
    <message>
        <source>The model as torch.save writes it, for programs that expect it: torch.load(file, weights_only=False). It is a pickle, which runs code when it is loaded, and needs the Python file with the class that is saved beside it.</source>
        <translation>以 torch.save 保存的模型，供需要它的程序使用：torch.load(file, weights_only=False)。它是 pickle，加载时会执行代码，并且需要保存在旁边的、含有类的 Python 文件。</translation>
    </message>
    <message>
        <source>Whole computation: torch.export (.pt2)</source>
        <translation>完整计算：torch.export（.pt2）</translation>
    </message>
    <message>
        <source>Whole computation: ONNX (.onnx)</source>
        <translation>完整计算：ONNX（.onnx）</translation>
    </message>
    <message>
        <source>All curves, histograms and settings of the run, the model and some samples (pictures, sounds, texts, rows). View them with tensorboard --logdir and the folder of the file.</source>
        <translation>该次运行的全部曲线、直方图和设置、模型以及一些样本（图片、声音、文本、行）。用 tensorboard --logdir 和文件所在的文件夹查看。</translation>
    </message>
    <message>
        <source>Weights in half precision (float16, .pt)</source>
        <translation>半精度权重（float16，.pt）</translation>
    </message>
    <message>
        <source>For model.half(): half the memory, and faster on GPUs. The input must be float16 too. The comparison shows how much the outputs differ.</source>
        <translation>供 model.half() 使用：内存减半，在 GPU 上更快。输入也要转换为半精度。比较结果说明输出相差多少。</translation>
    </message>
    <message>
        <source>TensorBoard log</source>
        <translation>TensorBoard 日志</translation>
    </message>
    <message>
        <source>best (step {step})</source>
        <translation>最佳（第 {step} 步）</translation>
    </message>
    <message>
        <source>last (step {step})</source>
        <translation>最新（第 {step} 步）</translation>
    </message>
    <message>
        <source>{checkpoint}, averaged weights</source>
        <translation>{checkpoint}，平均权重</translation>
    </message>
    <message>
        <source>{checkpoint}, weights not averaged</source>
        <translation>{checkpoint}，未平均的权重</translation>
    </message>
    <message>
        <source>Written: {file}</source>
        <translation>已写入：{file}</translation>
    </message>
    <message>
        <source>Verified. Largest difference: {value}.</source>
        <translation>已重新加载并比对：最大差异 {value}。</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>In the model</source>
        <translation>模型中</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>文件中</translation>
    </message>
    <message>
        <source>present</source>
        <translation>有</translation>
    </message>
    <message>
        <source>The file contains every tensor of the model with the same shape and dtype.</source>
        <translation>模型的每个张量都在文件中，形状和类型一致。</translation>
    </message>
    <message>
        <source>matches</source>
        <translation>相符</translation>
    </message>
    <message>
        <source>not in the file</source>
        <translation>文件中没有</translation>
    </message>
    <message>
        <source>not in the model</source>
        <translation>模型中没有</translation>
    </message>
    <message>
        <source>different shape or dtype</source>
        <translation>形状或类型不同</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>No matching tensors.</source>
        <translation>没有这样的张量。</translation>
    </message>
    <message>
        <source>“{file}” matches the model: {count} {count|tensor|tensors}.</source>
        <translation>“{file}”适合此模型：{count} 个张量。</translation>
    </message>
    <message>
        <source>“{file}” partly matches the model. Matching: {matching}. Not in the file: {missing}. Not in the model: {unexpected}. Different shape or dtype: {mismatched}.</source>
        <translation>“{file}”与模型部分相符。保留：{matching}。新增（文件中没有）：{missing}。舍弃（模型中没有）：{unexpected}。形状或类型不同：{mismatched}。</translation>
    </message>
    <message>
        <source>“{file}” does not match the model. Not in the file: {missing}. Not in the model: {unexpected}. Different shape or dtype: {mismatched}.</source>
        <translation>“{file}”与模型完全不符。文件中没有：{missing}。模型中没有：{unexpected}。形状或类型不同：{mismatched}。</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Train a model first. Its checkpoints appear here.</source>
        <translation>请先训练模型：其检查点将显示在这里。</translation>
    </message>
    <message>
        <source>Export workspace</source>
        <translation>导出工作区</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>显示文件夹</translation>
    </message>
    <message>
        <source>Tensors of the checkpoint</source>
        <translation>检查点中的张量</translation>
    </message>
    <message>
        <source>Mismatches</source>
        <translation>不符合之处</translation>
    </message>
    <message>
        <source>Compare file…</source>
        <translation>比较文件…</translation>
    </message>
    <message>
        <source>Shows which weights in a file match the model on the canvas.</source>
        <translation>显示文件中哪些权重适合画布上的模型。</translation>
    </message>
    <message>
        <source>Back to the checkpoint</source>
        <translation>回到检查点</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>正在保存…</translation>
    </message>
    <message>
        <source>Exported files are loaded again and compared with the checkpoint.</source>
        <translation>写入的内容会重新加载，并与检查点逐值比对。</translation>
    </message>
    <message>
        <source>What to export</source>
        <translation>导出内容</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Where to save</source>
        <translation>保存位置</translation>
    </message>
    <message>
        <source>Compare file with model</source>
        <translation>将文件与模型比较</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Reading the file…</source>
        <translation>正在读取文件…</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Optimizers of the checkpoint</source>
        <translation>检查点的优化器</translation>
    </message>
    <message>
        <source>Weights of 8 bits (int8, .safetensors)</source>
        <translation>8 比特权重（int8，.safetensors）</translation>
    </message>
    <message>
        <source>About a quarter of the memory: linear and convolution layers have int8 weights with a scale for each channel. A Python file beside it loads them. Results on your data are compared before and after.</source>
        <translation>约四分之一的内存：线性层和卷积层使用 int8 权重，每个通道有一个比例。旁边的 Python 文件可加载它们。会比较前后在您的数据上的结果。</translation>
    </message>
    <message>
        <source>Table of the run (.csv)</source>
        <translation>运行的表格（.csv）</translation>
    </message>
    <message>
        <source>All curves and statistics of layers as one table (series, step, time, value); settings and events are saved beside it as JSON.</source>
        <translation>全部曲线和层统计，保存为一张表（序列、步、时间、数值）；设置和事件以 JSON 保存在其旁。</translation>
    </message>
    <message>
        <source>Table of the run (.parquet)</source>
        <translation>运行的表格（.parquet）</translation>
    </message>
    <message>
        <source>The same table in a small file that quickly loads.</source>
        <translation>同样的表格，文件小，加载快。</translation>
    </message>
    <message>
        <source>MLflow database</source>
        <translation>MLflow 数据库</translation>
    </message>
    <message>
        <source>All curves and settings of the run, written by MLflow and read back. Open it with mlflow server --backend-store-uri sqlite:///FILE. Requires mlflow.</source>
        <translation>运行的全部曲线和设置，由 MLflow 写出并读回核对。用 mlflow server --backend-store-uri sqlite:///FILE 打开。需要 mlflow。</translation>
    </message>
    <message>
        <source>Weights &amp; Biases offline run</source>
        <translation>Weights &amp; Biases 离线运行</translation>
    </message>
    <message>
        <source>All curves and settings of the run, written by wandb without a network and read back. Upload it with wandb beta sync FILE when you want to. Requires wandb.</source>
        <translation>运行的全部曲线和设置，由 wandb 在不联网的情况下写出并读回核对。需要时用 wandb beta sync FILE 上传。需要 wandb。</translation>
    </message>
    <message>
        <source>Trackio database</source>
        <translation>Trackio 数据库</translation>
    </message>
    <message>
        <source>All curves and settings of the run, written by Trackio and read back. Open it with TRACKIO_DIR=FOLDER trackio show: the file names the project. Requires trackio.</source>
        <translation>运行的全部曲线和设置，由 Trackio 写出并读回核对。用 TRACKIO_DIR=FOLDER trackio show 打开：文件名即项目名。需要 trackio。</translation>
    </message>
    <message>
        <source>Not measured on the data: {reason}</source>
        <translation>未在数据上测量：{reason}</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Tracing the model…</source>
        <translation>正在跟踪模型…</translation>
    </message>
    <message>
        <source>Writing the file…</source>
        <translation>正在写入文件…</translation>
    </message>
    <message>
        <source>Comparing in another process…</source>
        <translation>正在另一个进程中比较…</translation>
    </message>
    <message>
        <source>Compared in another process: {batches} batches of other sizes, {samples} samples of yours. {size}, {seconds} s. To load it:</source>
        <translation>已在另一个进程中比较：{batches} 个其他大小的批次，您的 {samples} 个样本。{size}，{seconds} 秒。加载方法：</translation>
    </message>
    <message>
        <source>Layers with int8 weights: {count}. Size: {before} → {after}.</source>
        <translation>使用 int8 权重的层：{count}。大小：{before} → {after}。</translation>
    </message>
    <message>
        <source>{name}: {before} → {after}</source>
        <translation>{name}：{before} → {after}</translation>
    </message>
    <message>
        <source>The model with its weights for any batch size, without its Python code: for torch.export.load, in a program of yours. Traced with 2 samples and compared on others of yours in another process. A Python file beside it prepares your files as the run did.</source>
        <translation>模型及其权重，适用于任何批大小，不含 Python 代码：在您的程序中用 torch.export.load 加载。用 2 个样本跟踪，并在另一个进程中用您的其他样本比较。旁边的 Python 文件会像训练时那样准备您的文件。</translation>
    </message>
    <message>
        <source>The model with its weights for ONNX Runtime and other programs than PyTorch, for any batch size. Compared by ONNX Runtime on samples of yours in another process. A Python file beside it prepares your files as the run did.</source>
        <translation>模型及其权重，供 ONNX Runtime 等 PyTorch 以外的程序使用，适用于任何批大小。在另一个进程中由 ONNX Runtime 用您的样本比较。旁边的 Python 文件会像训练时那样准备您的文件。</translation>
    </message>
    <message>
        <source>Weights in half precision (float16, .safetensors)</source>
        <translation>半精度权重（float16，.safetensors）</translation>
    </message>
    <message>
        <source>For model.half(), in a format that cannot contain code. The comparison shows how much the outputs differ.</source>
        <translation>用于 model.half()，文件中不可能含有代码。比较结果会显示输出相差多少。</translation>
    </message>
    <message>
        <source>Weights in half precision (bfloat16, .safetensors)</source>
        <translation>半精度权重（bfloat16，.safetensors）</translation>
    </message>
    <message>
        <source>For model.bfloat16(): half the memory, the range of float32 and fewer digits than float16. The comparison shows how much the outputs differ.</source>
        <translation>用于 model.bfloat16()：内存减半，范围与 float32 相同，位数少于 float16。比较结果会显示输出相差多少。</translation>
    </message>
    <message>
        <source>Whole computation: TorchScript (.ts, deprecated)</source>
        <translation>完整计算：TorchScript（.ts，已弃用）</translation>
    </message>
    <message>
        <source>For programs that cannot do without it: PyTorch has deprecated TorchScript and may remove it. Compared in another process on samples of yours. A Python file beside it prepares your files as the run did.</source>
        <translation>供离不开它的程序使用：PyTorch 已弃用 TorchScript，将来可能移除。在另一个进程中用您的样本比较。旁边的 Python 文件会像训练时那样准备您的文件。</translation>
    </message>
    <message>
        <source>PyTorch Lightning (.py)</source>
        <translation>PyTorch Lightning（.py）</translation>
    </message>
    <message>
        <source>A LightningModule with the loss, metric, optimizer and schedule of the run, and a command that trains with the Trainer of Lightning. The weights and a list of the samples are saved beside it. Requires lightning.</source>
        <translation>含有该运行的损失、指标、优化器和调度的 LightningModule，以及用 Lightning 的 Trainer 训练的命令。权重和样本列表保存在旁边。需要 lightning。</translation>
    </message>
    <message>
        <source>Reproducible bundle (.zip)</source>
        <translation>可重现的打包（.zip）</translation>
    </message>
    <message>
        <source>All that is needed to make the model again: the Python project, the weights, the recipe, the version of the data, the environment, the recorded curves, a model card and checksums. Another process unpacks it, checks it and computes the same.</source>
        <translation>重现模型所需的一切：Python 项目、权重、配方、数据版本、环境、记录的曲线、模型卡片和校验和。另一个进程会解压它、核对它，并算出相同的结果。</translation>
    </message>
    <message>
        <source>Machine code: AOTInductor (.pt2)</source>
        <translation>机器码：AOTInductor（.pt2）</translation>
    </message>
    <message>
        <source>The computation compiled by a C++ compiler, which takes minutes: faster, and for this kind of processor and this version of PyTorch alone. A Python file beside it prepares your files as the run did.</source>
        <translation>由 C++ 编译器编译的计算，需要几分钟：更快，但仅用于此类处理器和此版本的 PyTorch。旁边的 Python 文件像训练时那样准备您的文件。</translation>
    </message>
    <message>
        <source>Compiling the model, which takes minutes…</source>
        <translation>正在编译模型，需要几分钟…</translation>
    </message>
    <message>
        <source>Prediction service (.zip)</source>
        <translation>预测服务（.zip）</translation>
    </message>
    <message>
        <source>A program that answers over HTTP (FastAPI), with a page to try the model in a browser, the weights and what prepares your pictures, texts, rows and numbers. Runs on any machine, without Trellis.</source>
        <translation>通过 HTTP（FastAPI）应答的程序，带有可在浏览器中试用模型的网页、权重，以及图片、文本、表格行和数值的准备步骤。可在任何计算机上运行，不需要 Trellis。</translation>
    </message>
    <message>
        <source>Serve model…</source>
        <translation>提供模型服务…</translation>
    </message>
    <message>
        <source>Answers predictions over HTTP, with a page to try the model.</source>
        <translation>通过 HTTP 应答预测请求，并附有试用模型的网页。</translation>
    </message>
</context>
<context>
    <name>FieldRow</name>
    <message>
        <source>Default: {value}</source>
        <translation>默认值：{value}</translation>
    </message>
    <message>
        <source>Reset to default: {value}</source>
        <translation>恢复默认值：{value}</translation>
    </message>
    <message>
        <source>From {low} to {high}</source>
        <translation>范围：{low} 到 {high}</translation>
    </message>
    <message>
        <source>At least {low}</source>
        <translation>至少 {low}</translation>
    </message>
    <message>
        <source>At most {high}</source>
        <translation>至多 {high}</translation>
    </message>
    <message>
        <source>Infer {name} automatically</source>
        <translation>自动推断{name}</translation>
    </message>
    <message>
        <source>No choice matches “{text}”.</source>
        <translation>没有与“{text}”匹配的选项。</translation>
    </message>
</context>
<context>
    <name>FileTabs</name>
    <message>
        <source>File name</source>
        <translation>文件名</translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message>
        <source>Remove all</source>
        <translation>全部移除</translation>
    </message>
    <message>
        <source>Remove the condition: {condition}</source>
        <translation>移除条件：{condition}</translation>
    </message>
    <message>
        <source>is</source>
        <translation>是</translation>
    </message>
    <message>
        <source>is not</source>
        <translation>不是</translation>
    </message>
    <message>
        <source>is between</source>
        <translation>介于</translation>
    </message>
    <message>
        <source>is not between</source>
        <translation>不介于</translation>
    </message>
    <message>
        <source>contains</source>
        <translation>包含</translation>
    </message>
    <message>
        <source>does not contain</source>
        <translation>不包含</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>is not missing</source>
        <translation>未缺失</translation>
    </message>
    <message>
        <source>Column to filter by</source>
        <translation>用于筛选的列</translation>
    </message>
    <message>
        <source>Condition</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Lowest value</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>Highest value</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>from</source>
        <translation>从</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add the condition</source>
        <translation>添加此条件</translation>
    </message>
    <message>
        <source>Show only rows that meet this condition too</source>
        <translation>只显示同时符合此条件的行</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>{count} results</source>
        <translation>找到 {count} 处</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Find in text</source>
        <translation>在文本中查找</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一个</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Finder</name>
    <message>
        <source>Loading PyTorch and the data…</source>
        <translation>正在加载 PyTorch 和数据…</translation>
    </message>
    <message>
        <source>Canceled. The results so far are shown.</source>
        <translation>已放弃。显示的是此前的测量结果。</translation>
    </message>
    <message>
        <source>The learning rate at the first step</source>
        <translation>第一步的学习率</translation>
    </message>
    <message>
        <source>The learning rate at the last step</source>
        <translation>最后一步的学习率</translation>
    </message>
    <message>
        <source>How many steps are taken at most</source>
        <translation>最多走多少步</translation>
    </message>
    <message>
        <source>Find a learning rate</source>
        <translation>查找学习率</translation>
    </message>
    <message>
        <source>Trains a copy of the model on your data while the learning rate rises from very small to large, and shows the loss. A good rate lies where the loss falls fastest. Your project and its runs are not changed.</source>
        <translation>用您的数据训练模型的一个副本，学习率从很小升到很大，并显示损失。合适的学习率在损失下降最快处。项目及其运行不会改变。</translation>
    </message>
    <message>
        <source>Find now</source>
        <translation>立即查找</translation>
    </message>
    <message>
        <source>Use this rate</source>
        <translation>使用此学习率</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Enter two learning rates and a whole number of steps.</source>
        <translation>请输入两个学习率和一个整数步数。</translation>
    </message>
    <message>
        <source>Step {step} of {count}: learning rate {rate}, loss {loss}</source>
        <translation>第 {step} 步，共 {count} 步：学习率 {rate}，损失 {loss}</translation>
    </message>
    <message>
        <source>Use learning rate</source>
        <translation>使用学习率</translation>
    </message>
    <message>
        <source>Find the largest batch size</source>
        <translation>查找最大批大小</translation>
    </message>
    <message>
        <source>Takes real steps with larger and larger batches on the device of the run, until they do not fit its memory, and shows how fast each size is. Larger batches use the device better, but change the training. Your project and its runs are not changed.</source>
        <translation>在运行的设备上用越来越大的批次实际训练几步，直到内存容纳不下，并显示每种大小的速度。较大的批次能更好地利用设备，但会改变训练。项目及其运行不会改变。</translation>
    </message>
    <message>
        <source>Use this size</source>
        <translation>使用此大小</translation>
    </message>
    <message>
        <source>Batches of {size}: {reason}</source>
        <translation>大小为 {size} 的批次：{reason}</translation>
    </message>
    <message>
        <source>Use batch size</source>
        <translation>使用批大小</translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>smoothed</source>
        <translation>平滑后</translation>
    </message>
    <message>
        <source>tried</source>
        <translation>已尝试</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>The loss at each learning rate appears here.</source>
        <translation>各学习率下的损失将显示在这里。</translation>
    </message>
    <message>
        <source>Steepest descent: {value}</source>
        <translation>下降最快处：{value}</translation>
    </message>
    <message>
        <source>Minimum / 10: {value}</source>
        <translation>最小值 / 10：{value}</translation>
    </message>
    <message>
        <source>The loss does not fall at any of these rates. Search a wider range with more steps, or look at the model, the data and the loss.</source>
        <translation>在这些学习率下损失都没有下降。请用更大的范围和更多的步数查找，或检查模型、数据和损失。</translation>
    </message>
    <message>
        <source>The loss fell and then diverged, where the search ended. Choose a rate on the falling part: a suggestion, or a point of the curve.</source>
        <translation>损失先下降，随后发散，查找在那里结束。请在下降部分选择学习率：建议值，或曲线上的一点。</translation>
    </message>
    <message>
        <source>Choose a suggestion, or a point of the curve.</source>
        <translation>请选择建议值，或曲线上的一点。</translation>
    </message>
    <message>
        <source>Chosen: {value}</source>
        <translation>已选：{value}</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>Memory (MiB)</source>
        <translation>内存（MiB）</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Each batch size that was tried appears here.</source>
        <translation>尝试过的批大小将显示在这里。</translation>
    </message>
    <message>
        <source>Smallest of the fastest: {value}</source>
        <translation>最快者中最小的：{value}</translation>
    </message>
    <message>
        <source>Largest: {value}</source>
        <translation>最大：{value}</translation>
    </message>
    <message>
        <source>Also set the learning rate to {rate}, by as much (linear scaling rule)</source>
        <translation>同时按相同倍数把学习率设为 {rate}（线性缩放规则）</translation>
    </message>
    <message>
        <source>Trying batches of {size}…</source>
        <translation>正在尝试大小为 {size} 的批次…</translation>
    </message>
    <message>
        <source>By the estimate, {largest} fit into {free} free on {device}.</source>
        <translation>据估算，{device} 的 {free} 空闲内存可容纳 {largest}。</translation>
    </message>
    <message>
        <source>The phase whose learning rate is searched</source>
        <translation>要搜索哪个阶段的学习率</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
</context>
<context>
    <name>FineTune</name>
    <message>
        <source>Fine-tune</source>
        <translation>微调</translation>
    </message>
    <message>
        <source>The model is ready for fine-tuning. Start training on Train. You can undo this change.</source>
        <translation>模型已可以微调：点“训练”开始，可以撤销。</translation>
    </message>
    <message>
        <source>The model is ready. Choose matching data, then train. You can undo this change.</source>
        <translation>模型已准备好，可以撤销。请选择与它相符的数据，然后开始训练。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Prepare model</source>
        <translation>准备模型</translation>
    </message>
    <message>
        <source>Changes the model and its settings in a single undo step.</source>
        <translation>一步更改模型和设置；可以撤销。</translation>
    </message>
    <message>
        <source>Freeze up to</source>
        <translation>冻结到</translation>
    </message>
    <message>
        <source>Frozen parts keep their weights and batch norm statistics. The less data you have, the more you should freeze.</source>
        <translation>冻结的部分保持权重不变，其中的批归一化也保持学到的均值。数据少时应多冻结。</translation>
    </message>
    <message>
        <source>Parts of the model</source>
        <translation>模型的各部分</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Learning rate of the head</source>
        <translation>头部的学习率</translation>
    </message>
    <message>
        <source>The head is new, so it can use a higher learning rate.</source>
        <translation>头部是新的：可以学得快一些。</translation>
    </message>
    <message>
        <source>Learning rate of the rest</source>
        <translation>其余部分的学习率</translation>
    </message>
    <message>
        <source>Pretrained parts should change little: a tenth of the head&apos;s learning rate.</source>
        <translation>已经训练过的部分应少变动：取头部的十分之一。</translation>
    </message>
    <message>
        <source>Choose weights…</source>
        <translation>选择权重…</translation>
    </message>
    <message>
        <source>Other model…</source>
        <translation>其他模型…</translation>
    </message>
    <message>
        <source>Import a known model with pretrained weights.</source>
        <translation>导入已知的模型及其训练好的权重。</translation>
    </message>
    <message>
        <source>Random initialization: there is nothing to fine-tune yet.</source>
        <translation>随机数：还没有可以微调的内容。</translation>
    </message>
    <message>
        <source>{count} parameters in {parts} {parts|part|parts}</source>
        <translation>{count} 个参数，分为 {parts} 部分</translation>
    </message>
    <message>
        <source>The selected data has {count} {count|class|classes}.</source>
        <translation>所选数据有 {count} 个类别。</translation>
    </message>
    <message>
        <source>The number of classes of the new head.</source>
        <translation>新的头部区分多少个类别。</translation>
    </message>
    <message>
        <source>Trainable: {trained} of {total} parameters.</source>
        <translation>训练 {trained} / {total} 个参数。</translation>
    </message>
    <message>
        <source>new head</source>
        <translation>新的头部</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>已冻结</translation>
    </message>
    <message>
        <source>trained</source>
        <translation>参与训练</translation>
    </message>
    <message>
        <source>The model has no layers with weights yet.</source>
        <translation>模型还没有带权重的层。</translation>
    </message>
    <message>
        <source>No layer with weights leads to an output, so there is no head to replace.</source>
        <translation>没有带权重的层通向输出，因此没有可以替换的头部。</translation>
    </message>
</context>
<context>
    <name>Folds</name>
    <message>
        <source>Cross-validate</source>
        <translation>交叉验证</translation>
    </message>
    <message>
        <source>Folds</source>
        <translation>折数</translation>
    </message>
    <message>
        <source>Add to queue</source>
        <translation>加入队列</translation>
    </message>
    <message>
        <source>fold {number}</source>
        <translation>第 {number} 折</translation>
    </message>
    <message>
        <source>Repeat with other seeds</source>
        <translation>换种子重复</translation>
    </message>
    <message>
        <source>One run for each seed is added to the queue, from the seed of the recipe on: the same data, other initial weights, order of samples and dropout. Select the runs on the Runs page to see the mean and the standard deviation of their results.</source>
        <translation>从设置中的种子开始，为每个种子把一次运行加入队列：数据相同，初始权重、样本顺序和随机失活不同。在“运行记录”中选中这些运行，可看到其结果的平均值和标准差。</translation>
    </message>
    <message>
        <source>Seeds</source>
        <translation>种子数</translation>
    </message>
    <message>
        <source>seed {number}</source>
        <translation>种子 {number}</translation>
    </message>
    <message>
        <source>The test set is split off, and the other samples are divided into folds. One run for each fold is added to the queue: it is validated on that fold and trained on the others. Select the runs on the Runs page to see the mean and the standard deviation of their results.</source>
        <translation>先划出测试部分，再把其余样本分成若干折。为每一折在队列中添加一次运行：用这一折验证，用其他各折训练。在“运行记录”页选中这些运行，即可看到其结果的平均值和标准差。</translation>
    </message>
</context>
<context>
    <name>FormWidget</name>
    <message>
        <source>More settings ({count})</source>
        <translation>更多设置（{count}）</translation>
    </message>
    <message>
        <source>More settings ({count}, {modified} changed)</source>
        <translation>更多设置（{count}，已改 {modified}）</translation>
    </message>
</context>
<context>
    <name>GalleryView</name>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Image size</source>
        <translation>图片大小</translation>
    </message>
    <message>
        <source>{count} shown</source>
        <translation>显示 {count} 个</translation>
    </message>
    <message>
        <source>First {count} of {total} shown</source>
        <translation>共 {total} 个，显示前 {count} 个</translation>
    </message>
</context>
<context>
    <name>Gradient</name>
    <message>
        <source>Custom code</source>
        <translation>自定义代码</translation>
    </message>
    <message>
        <source>Open the code</source>
        <translation>打开代码</translation>
    </message>
    <message>
        <source>Open the file at the definition (F12)</source>
        <translation>打开文件并转到定义处 (F12)</translation>
    </message>
    <message>
        <source>Check gradients</source>
        <translation>检查梯度</translation>
    </message>
    <message>
        <source>Compare the backward pass with finite differences in double precision, on random inputs of the same sizes.</source>
        <translation>用传入大小的随机数，以双精度把反向传播与各输入微小变动所显示的结果相比较。</translation>
    </message>
    <message>
        <source>Check result</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>The gradients with respect to {names} match finite differences in double precision.</source>
        <translation>梯度相符：对 {names}，backward 给出的结果与输入微小变动所显示的一致（双精度）。</translation>
    </message>
    <message>
        <source>The check stopped. {reason}</source>
        <translation>检查中止。{reason}</translation>
    </message>
    <message>
        <source>The gradients do not match. Largest differences:</source>
        <translation>梯度不相符。相差最大之处：</translation>
    </message>
    <message>
        <source>• ∂{of}[{output}]/∂{by}[{input}]: backward gives {given}, finite differences give {expected}</source>
        <translation>• {of}[{output}] 对 {by}[{input}]：backward 给出 {given}，微小变动显示 {expected}</translation>
    </message>
    <message>
        <source>The gradients with respect to {names} match.</source>
        <translation>对 {names} 则相符。</translation>
    </message>
</context>
<context>
    <name>HeadGrid</name>
    <message>
        <source>Attention heads</source>
        <translation>注意力头</translation>
    </message>
    <message>
        <source>{layer}, head {head} of {heads}</source>
        <translation>{layer}，第 {head} 个头（共 {heads} 个）</translation>
    </message>
</context>
<context>
    <name>Health</name>
    <message>
        <source>Loading the data…</source>
        <translation>正在加载数据…</translation>
    </message>
    <message>
        <source>Done: {what}.</source>
        <translation>已完成：{what}。</translation>
    </message>
    <message>
        <source>Done: {what}. Checking the data again.</source>
        <translation>已完成：{what}。正在重新检查数据。</translation>
    </message>
    <message>
        <source>Health of the data</source>
        <translation>数据健康检查</translation>
    </message>
    <message>
        <source>Out of date</source>
        <translation>已过时</translation>
    </message>
    <message>
        <source>Findings and samples</source>
        <translation>检查结果和样本</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Not checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Look at every sample: duplicates, leakage, wrong labels, damaged files, odd values. No file is changed.</source>
        <translation>查看每个样本：重复、泄漏、错误的标签、损坏的文件、异常值。不会更改任何文件。</translation>
    </message>
    <message>
        <source>Cross-validate…</source>
        <translation>交叉验证…</translation>
    </message>
    <message>
        <source>Train a run for each fold, so that every label can be compared with a model that has not seen it</source>
        <translation>为每一折训练一次运行，让每个标签都能与没有见过它的模型作比较</translation>
    </message>
    <message>
        <source>Checks passed</source>
        <translation>正常的项目</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Samples of the finding</source>
        <translation>该项结果的样本</translation>
    </message>
    <message>
        <source>Give the selected samples the class that was predicted; no file changes</source>
        <translation>把所选样本的类别改为预测的类别；文件保持不变</translation>
    </message>
    <message>
        <source>Give the selected samples another class; no file changes</source>
        <translation>把所选样本改为其他类别；文件保持不变</translation>
    </message>
    <message>
        <source>Exclude</source>
        <translation>排除</translation>
    </message>
    <message>
        <source>Leave the selected samples out of all sets; no file changes</source>
        <translation>从所有部分中排除所选样本；文件保持不变</translation>
    </message>
    <message>
        <source>Samples as images</source>
        <translation>以图片显示样本</translation>
    </message>
    <message>
        <source>Samples as a table</source>
        <translation>以表格显示样本</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>重新检查</translation>
    </message>
    <message>
        <source>Check the data</source>
        <translation>检查数据</translation>
    </message>
    <message>
        <source>Checking the data…</source>
        <translation>正在检查数据…</translation>
    </message>
    <message>
        <source>values that cannot be used</source>
        <translation>无法使用的值</translation>
    </message>
    <message>
        <source>damaged files</source>
        <translation>损坏的文件</translation>
    </message>
    <message>
        <source>odd picture sizes</source>
        <translation>异常的图片尺寸</translation>
    </message>
    <message>
        <source>blank pictures</source>
        <translation>空白图片</translation>
    </message>
    <message>
        <source>duplicates and leakage</source>
        <translation>重复和泄漏</translation>
    </message>
    <message>
        <source>near duplicates</source>
        <translation>近似重复</translation>
    </message>
    <message>
        <source>empty texts</source>
        <translation>空文本</translation>
    </message>
    <message>
        <source>silent sounds</source>
        <translation>静音的声音</translation>
    </message>
    <message>
        <source>clipped sounds</source>
        <translation>削波的声音</translation>
    </message>
    <message>
        <source>very short sounds</source>
        <translation>非常短的声音</translation>
    </message>
    <message>
        <source>tiny videos</source>
        <translation>非常小的视频</translation>
    </message>
    <message>
        <source>very short videos</source>
        <translation>非常短的视频</translation>
    </message>
    <message>
        <source>groups on both sides of the split</source>
        <translation>跨部分的分组</translation>
    </message>
    <message>
        <source>class imbalance</source>
        <translation>类别不平衡</translation>
    </message>
    <message>
        <source>odd boxes</source>
        <translation>异常的边界框</translation>
    </message>
    <message>
        <source>constant columns</source>
        <translation>常数列</translation>
    </message>
    <message>
        <source>columns that name rows</source>
        <translation>只标识行的列</translation>
    </message>
    <message>
        <source>missing values</source>
        <translation>缺失值</translation>
    </message>
    <message>
        <source>outliers</source>
        <translation>离群值</translation>
    </message>
    <message>
        <source>columns that give the target away</source>
        <translation>泄漏目标的列</translation>
    </message>
    <message>
        <source>wrong labels</source>
        <translation>错误的标签</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples} checked.</source>
        <translation>已检查 {count} 个样本。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Not found: {checks}.</source>
        <translation>未发现：{checks}。</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>已编辑</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples}</source>
        <translation>{count} 个样本</translation>
    </message>
    <message>
        <source>excluded</source>
        <translation>已排除</translation>
    </message>
    <message>
        <source>now {label}</source>
        <translation>现为 {label}</translation>
    </message>
    <message>
        <source>Relabel as “{label}”</source>
        <translation>改标签为“{label}”</translation>
    </message>
    <message>
        <source>Relabel as predicted</source>
        <translation>按预测改标签</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>This finding is about the data as a whole.</source>
        <translation>该项结果针对整个数据。</translation>
    </message>
    <message>
        <source>Samples with the same letter belong together.</source>
        <translation>字母相同的样本属于同一组。</translation>
    </message>
    <message>
        <source>The first {shown} of {count} samples</source>
        <translation>{count} 个样本中的前 {shown} 个</translation>
    </message>
    <message>
        <source>Data or split changed since this check, so the findings may be out of date.</source>
        <translation>此次检查之后数据或划分有变动，检查结果可能已过时。</translation>
    </message>
    <message>
        <source>Only the {count} labels that the last run was not trained on were compared with its predictions. Cross-validate to check all of them.</source>
        <translation>只有上次运行没有训练过的 {count} 个标签与它的预测作了比较。要检查所有标签，请进行交叉验证。</translation>
    </message>
    <message>
        <source>Wrong labels are found with models that have not seen the samples: cross-validate, then check again.</source>
        <translation>错误的标签要靠没有见过这些样本的模型来发现：请先进行交叉验证，再重新检查。</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有发现问题</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Every sample is looked at once. You can go on working.</source>
        <translation>每个样本都会查看一次。您可以继续工作。</translation>
    </message>
    <message>
        <source>The data cannot be checked</source>
        <translation>无法检查数据</translation>
    </message>
    <message>
        <source>It continues from there unless the data has changed.</source>
        <translation>除非数据有变动，否则会从中断处继续。</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Every sample is looked at: copies within and across the sets, equal inputs with different labels, columns that give the target away, damaged or odd pictures, missing values, rare classes, and labels that are likely to be wrong. No file is changed.</source>
        <translation>将查看每个样本：各部分之内和之间的副本、输入相同而标签不同的样本、泄漏目标的列、损坏或异常的图片、缺失值、稀有类别，以及可能有误的标签。不会更改任何文件。</translation>
    </message>
    <message>
        <source>{count} {count|label was|labels were} compared with the predictions of cross-validated runs.</source>
        <translation>已将 {count} 个标签与交叉验证各次运行的预测作比较。</translation>
    </message>
    <message>
        <source>boxes and masks that evaluation loses</source>
        <translation>评估时丢失的边界框和掩码</translation>
    </message>
</context>
<context>
    <name>Help</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Search the help</source>
        <translation>搜索帮助</translation>
    </message>
    <message>
        <source>Search the help…</source>
        <translation>搜索帮助…</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Previous page (Alt+Left)</source>
        <translation>上一页（Alt+Left）</translation>
    </message>
    <message>
        <source>Contents and page</source>
        <translation>目录与页面</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>There is no crash report.</source>
        <translation>没有崩溃报告。</translation>
    </message>
    <message>
        <source>Crash report</source>
        <translation>崩溃报告</translation>
    </message>
    <message>
        <source>Version and system information was copied to the clipboard.</source>
        <translation>版本与系统信息已复制到剪贴板。</translation>
    </message>
    <message>
        <source>A desktop studio for PyTorch: build a model, train it, and export the code.</source>
        <translation>PyTorch 桌面工作室：绘制模型，训练模型，带走代码。</translation>
    </message>
    <message>
        <source>About Trellis</source>
        <translation>关于 Trellis</translation>
    </message>
    <message>
        <source>Search for a layer and add it</source>
        <translation>搜索并添加层</translation>
    </message>
    <message>
        <source>Move between nodes</source>
        <translation>在节点之间移动</translation>
    </message>
    <message>
        <source>Connect the selected node</source>
        <translation>连接所选节点</translation>
    </message>
    <message>
        <source>Pin or unpin the selected nodes</source>
        <translation>固定所选节点，或取消固定</translation>
    </message>
    <message>
        <source>Move along the wires of the selected node</source>
        <translation>依次选中所选节点的连线</translation>
    </message>
    <message>
        <source>Go to the settings of the selected node</source>
        <translation>转到所选节点的设置</translation>
    </message>
    <message>
        <source>Cancel, or clear the selection</source>
        <translation>取消，或清除选择</translation>
    </message>
    <message>
        <source>Zoom to the selection</source>
        <translation>缩放到所选内容</translation>
    </message>
    <message>
        <source>Actual size</source>
        <translation>原始大小</translation>
    </message>
    <message>
        <source>Snap to grid</source>
        <translation>对齐网格</translation>
    </message>
    <message>
        <source>Minimap</source>
        <translation>缩略图</translation>
    </message>
    <message>
        <source>Move to the next visible field or button</source>
        <translation>转到屏幕上的下一个字段或按钮</translation>
    </message>
    <message>
        <source>Move to the previous one, also from the canvas</source>
        <translation>转到上一个；也可用来离开画布</translation>
    </message>
    <message>
        <source>Restore the value of a setting, then return to the page</source>
        <translation>恢复设置的原值，再按一次回到页面</translation>
    </message>
    <message>
        <source>Indent</source>
        <translation>增加一级缩进</translation>
    </message>
    <message>
        <source>Outdent</source>
        <translation>减少一级缩进</translation>
    </message>
    <message>
        <source>Leave the editor for the next control</source>
        <translation>离开文本，转到下一项</translation>
    </message>
    <message>
        <source>Leave the editor for the previous control</source>
        <translation>离开文本，转到上一项</translation>
    </message>
    <message>
        <source>Show suggestions</source>
        <translation>显示补全建议</translation>
    </message>
    <message>
        <source>Toggle line comment</source>
        <translation>切换行注释</translation>
    </message>
    <message>
        <source>Duplicate line</source>
        <translation>复制当前行</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Check or run now</source>
        <translation>立即检查或运行</translation>
    </message>
    <message>
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>On the canvas</source>
        <translation>画布上</translation>
    </message>
    <message>
        <source>In settings and panels</source>
        <translation>在设置与面板中</translation>
    </message>
    <message>
        <source>In code</source>
        <translation>在代码中</translation>
    </message>
    <message>
        <source>default {value}</source>
        <translation>默认值 {value}</translation>
    </message>
    <message>
        <source>range {value}</source>
        <translation>范围 {value}</translation>
    </message>
    <message>
        <source>one of {values}</source>
        <translation>可选 {values}</translation>
    </message>
</context>
<context>
    <name>HelpView</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
</context>
<context>
    <name>HistogramHistory</name>
    <message>
        <source>Histograms over steps</source>
        <translation>随步数的直方图</translation>
    </message>
    <message>
        <source>Step {step}; values from {low} to {high}</source>
        <translation>第 {step} 步；值从 {low} 到 {high}</translation>
    </message>
</context>
<context>
    <name>Import</name>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Segmentation</source>
        <translation>分割</translation>
    </message>
    <message>
        <source>Detection</source>
        <translation>检测</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Optical flow</source>
        <translation>光流</translation>
    </message>
    <message>
        <source>Images, quantized</source>
        <translation>图像（量化）</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>系列</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Best acc@1</source>
        <translation>最佳 acc@1</translation>
    </message>
    <message>
        <source>Accuracy of the pretrained weights on their data set, in %</source>
        <translation>其已训练权重在对应数据集上的结果，单位为 %</translation>
    </message>
    <message>
        <source>Choose a model on the left.</source>
        <translation>请在左侧选择一个模型。</translation>
    </message>
    <message>
        <source>torchvision models</source>
        <translation>torchvision 的模型</translation>
    </message>
    <message>
        <source>Python file</source>
        <translation>Python 文件</translation>
    </message>
    <message>
        <source>A file saved with torch.export.save. It is read as data in a separate process and none of its code runs. The file includes the inputs and weights.</source>
        <translation>torch.export.save 的文件。它在单独的进程中作为数据读取，不会运行其中的代码。输入和权重都在文件中。</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>About trust</source>
        <translation>关于信任</translation>
    </message>
    <message>
        <source>The file is only read until you import it. Then its code runs once in a separate process to create the model. Only import files that you trust.</source>
        <translation>导入之前只读取该文件。导入时，其代码会在一个单独的进程中运行一次以构建模型：请只导入您信任的文件。</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>类</translation>
    </message>
    <message>
        <source>File (.pt2)</source>
        <translation>文件（.pt2）</translation>
    </message>
    <message>
        <source>A new project</source>
        <translation>新项目</translation>
    </message>
    <message>
        <source>This model, as a block</source>
        <translation>当前模型，作为一个块</translation>
    </message>
    <message>
        <source>Import into</source>
        <translation>放入</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>The name of the project folder, or of the node on the canvas.</source>
        <translation>项目文件夹的名称，或画布上节点的名称。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Loading PyTorch…</source>
        <translation>正在加载 PyTorch…</translation>
    </message>
    <message>
        <source>Reading the weights…</source>
        <translation>正在读取权重…</translation>
    </message>
    <message>
        <source>Creating the model…</source>
        <translation>正在构建模型…</translation>
    </message>
    <message>
        <source>Tracing forward…</source>
        <translation>正在跟踪其 forward…</translation>
    </message>
    <message>
        <source>Comparing results with the original…</source>
        <translation>正在与原模型比较结果…</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>正在写入…</translation>
    </message>
    <message>
        <source>Downloading the weights: {done} of {total}</source>
        <translation>正在下载权重：{done} / {total}</translation>
    </message>
    <message>
        <source>From {url}; recipe: {recipe}</source>
        <translation>来自 {url}；训练方法：{recipe}</translation>
    </message>
    <message>
        <source>Location of the project folder</source>
        <translation>项目文件夹的位置</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>Exported program</source>
        <translation>导出的程序</translation>
    </message>
    <message>
        <source>Choose file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>Run the code in “{file}”?</source>
        <translation>运行“{file}”中的代码？</translation>
    </message>
    <message>
        <source>To create “{name}”, this file and its imports run in a separate process with all your permissions on this computer. Continue only if you trust the source of the file.</source>
        <translation>为了构建“{name}”，需要运行此文件及其导入的内容。它在单独的进程中运行，但拥有您在这台计算机上的全部权限。只有在知道其来源时才继续。</translation>
    </message>
    <message>
        <source>Run and import</source>
        <translation>运行并导入</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Imported into {folder}.</source>
        <translation>已导入到 {folder}。</translation>
    </message>
    <message>
        <source>Import model</source>
        <translation>导入模型</translation>
    </message>
    <message>
        <source>Imported as “{name}”; its weights are in {file}.</source>
        <translation>已作为“{name}”导入；其权重在 {file} 中。</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>From file</source>
        <translation>来自我的文件</translation>
    </message>
    <message>
        <source>Pretrained weights are downloaded once, verified and kept.</source>
        <translation>已训练的权重只下载一次，经校验后保留。</translation>
    </message>
    <message>
        <source>{size} from {host}, unless already downloaded.</source>
        <translation>从 {host} 下载 {size}，除非以前已下载过。</translation>
    </message>
    <message>
        <source>Weights file</source>
        <translation>权重文件</translation>
    </message>
    <message>
        <source>A state_dict (.pt, .pth) or safetensors file. No code in it runs.</source>
        <translation>state_dict（.pt、.pth）或 .safetensors；不会运行其中的代码。</translation>
    </message>
    <message>
        <source>The last layer is new and has random weights.</source>
        <translation>最后一层是新的，从随机权重开始。</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Sample size</source>
        <translation>样本尺寸</translation>
    </message>
    <message>
        <source>Without the batch axis, such as 3x224x224 or 128:int64. Separate several inputs with semicolons.</source>
        <translation>不含批次，如 3x224x224 或 128:int64；多个输入用分号分隔。</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
</context>
<context>
    <name>Initial</name>
    <message>
        <source>Initialize all layers of a type</source>
        <translation>同类型的所有层用相同方式初始化</translation>
    </message>
    <message>
        <source>{count} {count|layer is|layers are} now initialized like “{name}”.</source>
        <translation>现在 {count} 个层与“{name}”的初始化方式相同。</translation>
    </message>
    <message>
        <source>Change initialization</source>
        <translation>选择权重的初始化方式</translation>
    </message>
    <message>
        <source>Choose tensor file</source>
        <translation>选择张量文件</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Copied into the project as {file}.</source>
        <translation>已复制到项目中：{file}。</translation>
    </message>
    <message>
        <source>Sampling values…</source>
        <translation>正在抽取数值…</translation>
    </message>
    <message>
        <source>Runs start from {file}. Matching weights are shown as they are in that file.</source>
        <translation>运行从 {file} 开始：其中适合的部分按文件中的数值显示。</translation>
    </message>
    <message>
        <source>Weight initialization</source>
        <translation>权重初始化</translation>
    </message>
    <message>
        <source>Initialize all layers of this type</source>
        <translation>初始化所有此类型的层</translation>
    </message>
    <message>
        <source>Use this initialization for every layer of this type, including those in blocks</source>
        <translation>让该类型的每一层（包括组合块内的）都采用此处选择的初始化方式</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>Weight values</source>
        <translation>权重的数值</translation>
    </message>
    <message>
        <source>Initialize all {count} {type} layers like this one</source>
        <translation>让全部 {count} 个 {type} 层与此层相同</translation>
    </message>
    <message>
        <source>PyTorch default</source>
        <translation>PyTorch 默认</translation>
    </message>
    <message>
        <source>(different)</source>
        <translation>（各不相同）</translation>
    </message>
    <message>
        <source>How these parameters are initialized before the first step. Your choice appears in the code as a torch.nn.init function.</source>
        <translation>这些数值在第一步之前如何取值。所选方式会作为 torch.nn.init 的函数写入代码。</translation>
    </message>
    <message>
        <source>Initialization</source>
        <translation>初始化</translation>
    </message>
    <message>
        <source>Choose tensor file…</source>
        <translation>选择张量文件…</translation>
    </message>
    <message>
        <source>all matrices</source>
        <translation>所有矩阵</translation>
    </message>
    <message>
        <source>all {name}</source>
        <translation>所有 {name}</translation>
    </message>
    <message>
        <source>Applies to all parameters of this kind in the layer.</source>
        <translation>适用于该层内部所有这类参数。</translation>
    </message>
    <message>
        <source>Shape {shape}; mean {mean}, std {std}, from {low} to {high}. These are the initial values of a run with the seed of this project.</source>
        <translation>形状 {shape}；均值 {mean}，标准差 {std}，范围 {low} 到 {high}。使用本项目随机种子的运行就从这些数值开始。</translation>
    </message>
    <message>
        <source>Choose weights for this layer</source>
        <translation>为此层选择权重</translation>
    </message>
    <message>
        <source>Load weights into layer</source>
        <translation>为层载入权重</translation>
    </message>
    <message>
        <source>“{name}” now begins with “{layer}” of {file}.</source>
        <translation>“{name}”现在以 {file} 的“{layer}”为初始值。</translation>
    </message>
</context>
<context>
    <name>Inspect</name>
    <message>
        <source>Autograd graph</source>
        <translation>自动求导图</translation>
    </message>
    <message>
        <source>The graph of Functions built by a training step</source>
        <translation>一个训练步骤所构建的 Function 图</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Weights, gradients and activations by layer over time</source>
        <translation>各层的权重、梯度和激活如何变化</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Any weight, gradient, activation or batch of the run</source>
        <translation>运行的任何权重、梯度、激活或批次</translation>
    </message>
    <message>
        <source>Debugger</source>
        <translation>调试器</translation>
    </message>
    <message>
        <source>Stop within a training step to view and change tensors</source>
        <translation>停在一个训练步之内，查看并更改张量</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory used by a training step, layer by layer</source>
        <translation>逐层说明一个训练步在内存中保留什么</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>剖析</translation>
    </message>
    <message>
        <source>Where a training step spends its time</source>
        <translation>一个训练步中各部分花费的时间</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>跟踪</translation>
    </message>
    <message>
        <source>The tensors created by each line of the forward pass</source>
        <translation>前向传播的每一行创建哪些张量</translation>
    </message>
    <message>
        <source>Lab</source>
        <translation>实验台</translation>
    </message>
    <message>
        <source>Type tensor code and see its tensors, graph and gradients</source>
        <translation>输入张量代码，查看它的张量、图和梯度</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Predictions of a trained model on its data, sample by sample</source>
        <translation>训练好的模型在数据上逐样本的表现</translation>
    </message>
    <message>
        <source>Playground</source>
        <translation>试验场</translation>
    </message>
    <message>
        <source>Try a trained model on your own input</source>
        <translation>用自己的输入试用训练好的模型</translation>
    </message>
    <message>
        <source>Decision surface</source>
        <translation>决策面</translation>
    </message>
    <message>
        <source>Predictions of a model over the plane during training</source>
        <translation>模型学习过程中在整个平面上的回答</translation>
    </message>
    <message>
        <source>Loss landscape</source>
        <translation>损失地形</translation>
    </message>
    <message>
        <source>The loss around the weights, and optimizer races</source>
        <translation>权重周围的损失，以及优化器竞赛</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>体检</translation>
    </message>
    <message>
        <source>Check the model and data before or after a long run</source>
        <translation>在长时间运行之前或之后检查模型和数据</translation>
    </message>
    <message>
        <source>Inspect workspace</source>
        <translation>检视工作区</translation>
    </message>
    <message>
        <source>Inspect pages</source>
        <translation>检视工作区的页面</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Where each head looks in your own text, token by token</source>
        <translation>每个头在您自己的文本中逐词元关注哪里</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Name of the layer</source>
        <translation>层的名称</translation>
    </message>
    <message>
        <source>The name of the attribute in the generated class and the prefix of its weights. Use a dot to put a layer in an nn.ModuleList (layers.0, layers.1) or nn.ModuleDict (heads.left, heads.right).</source>
        <translation>名称是生成的类中的属性，也是其权重的前缀。带点的名称把层放进 nn.ModuleList（layers.0、layers.1）或 nn.ModuleDict（heads.left、heads.right）。</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>In the last run</source>
        <translation>上次运行</translation>
    </message>
    <message>
        <source>Good to know</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Documentation</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>The elements are not contiguous in memory, as after a permute or transpose, so view() does not work. contiguous() makes a contiguous copy.</source>
        <translation>这些数字在内存中不是依次排列的（例如经过 permute 或 transpose 之后），view() 无法直接使用。contiguous() 会把它们按顺序复制一份。</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>卷积核</translation>
    </message>
    <message>
        <source>This version of Trellis does not support the layer type “{type}”. The node is kept, but the model cannot run with it.</source>
        <translation>此版本的程序不认识类型为“{type}”的层。节点会原样保留，但模型无法运行。</translation>
    </message>
    <message>
        <source>This node has no settings.</source>
        <translation>此项没有设置。</translation>
    </message>
    <message>
        <source>The batch axis N is added automatically. A single sample is a batch of size 1.</source>
        <translation>批次轴 N 会自动加在最前面，单个样本也是如此：它就是大小为 1 的批次。</translation>
    </message>
    <message>
        <source>Training keeps the states of all {steps} time steps for backpropagation through time (BPTT), so memory grows linearly with their number. See Inspect, Memory for details.</source>
        <translation>训练会保留全部 {steps} 个时间步的状态，因为反向传播要逐步经过它们（BPTT）：内存随步数线性增长。用量见“检视”›“内存”。</translation>
    </message>
    <message>
        <source>Block {name}</source>
        <translation>块 {name}</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>（无）</translation>
    </message>
    <message>
        <source>Inside the block {name}</source>
        <translation>在块 {name} 内</translation>
    </message>
    <message>
        <source>{count} selected</source>
        <translation>已选择 {count} 项</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Frozen</source>
        <translation>已冻结</translation>
    </message>
    <message>
        <source>Trainable</source>
        <translation>可训练</translation>
    </message>
    <message>
        <source>{tensor}, not contiguous</source>
        <translation>{tensor}，不连续</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Select a layer to view and change its settings. Press Tab or double-click the canvas to add one. Press F1 for help on the selection.</source>
        <translation>选择一个层以查看和修改其设置。在画布上按 Tab 或双击可添加层；按 F1 显示所选内容的帮助。</translation>
    </message>
    <message>
        <source>not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Buffers</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>重复次数</translation>
    </message>
    <message>
        <source>The number of copies in a row. The output of each copy is the input of the next.</source>
        <translation>连续排列的份数；前一份的输出进入下一份。</translation>
    </message>
    <message>
        <source>Share weights</source>
        <translation>共用权重</translation>
    </message>
    <message>
        <source>On: a single module is called repeatedly. Off: each copy has its own weights.</source>
        <translation>开：所有份都是同一个被反复调用的模块。关：每一份各自学习自己的权重。</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Applies to all {count} uses of the block.</source>
        <translation>对该块的所有使用都生效（此处：{count}）。</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Class name</source>
        <translation>类名</translation>
    </message>
    <message>
        <source>The name of the block and of its class in the code.</source>
        <translation>块的名称，也是代码中类的名称。</translation>
    </message>
    <message>
        <source>Active branch</source>
        <translation>当前分支</translation>
    </message>
    <message>
        <source>The branch that is used. The weights of all branches are kept and saved, but only those of the active branch are trained.</source>
        <translation>参与计算的分支。所有分支的权重都会保留并保存；其他分支的权重不会训练。</translation>
    </message>
    <message>
        <source>Code style</source>
        <translation>代码形式</translation>
    </message>
    <message>
        <source>separate class</source>
        <translation>独立的类</translation>
    </message>
    <message>
        <source>A chain of layers can be written inline as nn.Sequential. The state_dict keys are the same in both cases.</source>
        <translation>一串层可以在使用处写成 nn.Sequential。两种写法的权重键名相同。</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>A description of the block, shown in the palette.</source>
        <translation>块的用途；显示在组件面板中。</translation>
    </message>
    <message>
        <source>Keep in the project</source>
        <translation>保留在项目中</translation>
    </message>
    <message>
        <source>Keep the block in the palette even when it is not used.</source>
        <translation>即使不再使用，块也留在组件面板中。</translation>
    </message>
    <message>
        <source>own</source>
        <translation>自己的</translation>
    </message>
    <message>
        <source>The layer whose weights are used. If you choose another layer of the same type, both use a single module, which has the settings of that layer and is trained by both uses.</source>
        <translation>该层使用谁的权重。若使用同类型另一层的权重，则两处调用的是同一个模块：它从两处学习，并采用另一层的设置。</translation>
    </message>
    <message>
        <source>Shared weights</source>
        <translation>共享权重</translation>
    </message>
    <message>
        <source>Insert contiguous()</source>
        <translation>插入 contiguous()</translation>
    </message>
</context>
<context>
    <name>Installation</name>
    <message>
        <source>Installation check</source>
        <translation>安装检查</translation>
    </message>
    <message>
        <source>Running a PyTorch computation on each device…</source>
        <translation>PyTorch 正在每个设备上试算…</translation>
    </message>
    <message>
        <source>{count} issues found</source>
        <translation>有 {count} 项需要注意</translation>
    </message>
    <message>
        <source>Everything is installed</source>
        <translation>什么都不缺</translation>
    </message>
    <message>
        <source>PyTorch {version}, built without CUDA</source>
        <translation>PyTorch {version}，不含 CUDA</translation>
    </message>
    <message>
        <source>PyTorch {version}, built for CUDA {cuda}</source>
        <translation>PyTorch {version}，为 CUDA {cuda} 构建</translation>
    </message>
    <message>
        <source>{code} and a matrix product ran on **{device}**</source>
        <translation>在 **{device}** 上计算了 {code} 及其乘积</translation>
    </message>
    <message>
        <source>To install a different PyTorch, select your system and CUDA version (or CPU) on pytorch.org under Get Started. Run the command it shows in the environment of Trellis, for torch and torchvision together, then restart Trellis and check again.</source>
        <translation>更换 PyTorch：在 pytorch.org 的 Get Started 中选择系统和 CUDA（或 CPU），在安装 Trellis 的环境中运行所给的命令（torch 与 torchvision 一起安装），重新启动后再来查看。</translation>
    </message>
</context>
<context>
    <name>Kernel</name>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
</context>
<context>
    <name>KnownMachines</name>
    <message>
        <source>Known machines</source>
        <translation>已知机器</translation>
    </message>
    <message>
        <source>About the machines</source>
        <translation>关于这些机器</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>忘记</translation>
    </message>
    <message>
        <source>Press Del. You will be asked before a run there continues. No run is stopped and nothing is deleted there.</source>
        <translation>Del。以后恢复那里的运行之前会先询问您。不会停止任何运行，也不会删除那里的任何内容。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Restore what was forgotten last</source>
        <translation>恢复最近忘记的机器</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Remote Python</source>
        <translation>那里的 Python</translation>
    </message>
    <message>
        <source>Remote folder</source>
        <translation>那里的文件夹</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Forgotten: {machines}. You will be asked before a run there continues. No run was stopped and nothing was deleted there.</source>
        <translation>已忘记：{machines}。以后恢复那里的运行之前会先询问您；没有停止任何运行，也没有删除那里的任何内容。</translation>
    </message>
    <message>
        <source>No known machines. A machine is added when you train on it (Run › Train on another machine…), or when you confirm a run that uses it.</source>
        <translation>还没有已知机器。在某台机器上训练（“运行”›“在另一台机器上训练…”），或者同意恢复一次写明了该机器的运行之后，它就会出现在这里。</translation>
    </message>
    <message>
        <source>Your keys are used to sign in to these machines when you train there or continue a run there. Forget those that you no longer use.</source>
        <translation>当您在这些机器上训练，或恢复您发送到那里的运行时，会用您的密钥登录。不再属于您的机器，请将其忘记。</translation>
    </message>
    <message>
        <source>from the SSH configuration</source>
        <translation>按 SSH 配置</translation>
    </message>
    <message>
        <source>Machine: {host}
User: {user}
Port: {port}
Key: {key}
Remote Python: {python}
Remote folder: {folder}
Runs sent there: {runs}</source>
        <translation>机器：{host}
用户：{user}
端口：{port}
密钥：{key}
那里的 Python：{python}
那里的文件夹：{folder}
发送到那里的运行：{runs}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{count}, last on {day}</source>
        <translation>{count} 次，最近一次创建于 {day}</translation>
    </message>
</context>
<context>
    <name>Lab</name>
    <message>
        <source>My own code</source>
        <translation>我自己的代码</translation>
    </message>
    <message>
        <source>Type tensor code. Your variables appear on the right.</source>
        <translation>输入张量代码，您命名的张量会显示在右边。</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>Finished in {seconds} s.</source>
        <translation>已完成，用时 {seconds} 秒。</translation>
    </message>
    <message>
        <source>The saved tensors of the graph were freed.</source>
        <translation>图所保存的张量已释放。</translation>
    </message>
    <message>
        <source>A dashed size is expanded: it is read repeatedly, not copied.</source>
        <translation>虚线框中的大小被扩展：同一元素被反复读取，并不复制。</translation>
    </message>
    <message>
        <source>Tensors with the same letter share memory</source>
        <translation>字母相同的张量共享内存</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Run code that assigns tensors to variables to see them here.</source>
        <translation>运行给张量命名的代码后，张量会显示在这里。</translation>
    </message>
    <message>
        <source>Leaf</source>
        <translation>叶子</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Shares memory with the NumPy array {names}: changing one in place changes both. torch.tensor(…) makes a copy.</source>
        <translation>位于 NumPy 数组 {names} 的内存中：就地修改一方会同时改变两者。torch.tensor(…) 会复制。</translation>
    </message>
    <message>
        <source>{name} (NumPy array)</source>
        <translation>{name}（NumPy 数组）</translation>
    </message>
    <message>
        <source>shares memory with</source>
        <translation>与之共享内存</translation>
    </message>
    <message>
        <source>Attribute</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Select a tensor to see its attributes.</source>
        <translation>选择一个张量以查看它的全部属性。</translation>
    </message>
    <message>
        <source>Show in the graph (double-click)</source>
        <translation>在图中显示（双击）</translation>
    </message>
    <message>
        <source>value {text}</source>
        <translation>值 {text}</translation>
    </message>
    <message>
        <source>gradient {text}</source>
        <translation>梯度 {text}</translation>
    </message>
    <message>
        <source>Line {line}: {text}</source>
        <translation>第 {line} 行：{text}</translation>
    </message>
    <message>
        <source>Select a tensor in the table to see its memory layout.</source>
        <translation>请在表中选择一个张量，查看它在内存中的样子。</translation>
    </message>
    <message>
        <source>{name}: only dense tensors with 1 to 64 elements can be drawn.</source>
        <translation>{name}：只绘制含 1 到 64 个元素的稠密张量。</translation>
    </message>
    <message>
        <source>Element [i, j, …] is stored at offset + Σ index · stride. Point to a cell to highlight it on the other side.</source>
        <translation>元素 [i, j, …] 位于 偏移 + Σ 索引 · 步幅 处。指向一个格子即可找到它在另一边的位置。</translation>
    </message>
    <message>
        <source>Storage: {count} {count|element|elements} in a row</source>
        <translation>存储：连续的 {count} 个元素</translation>
    </message>
    <message>
        <source>result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Axes, from the last</source>
        <translation>各轴，从最后一个对齐</translation>
    </message>
    <message>
        <source>axis {number}</source>
        <translation>轴 {number}</translation>
    </message>
    <message>
        <source>Axes by letter: matching letters are multiplied, missing letters are summed over</source>
        <translation>各轴的字母：相同的字母相乘，结果中没有的字母求和</translation>
    </message>
    <message>
        <source>Summed over: {letters}</source>
        <translation>求和的字母：{letters}</translation>
    </message>
    <message>
        <source>A copy. Changing it does not change the tensor.</source>
        <translation>副本：修改它不会改变原张量。</translation>
    </message>
    <message>
        <source>A view that shares memory. Changing it changes the tensor.</source>
        <translation>视图：共享内存，修改它也会改变原张量。</translation>
    </message>
    <message>
        <source>Tensor of shape {shape}</source>
        <translation>张量，形状 {shape}</translation>
    </message>
    <message>
        <source>Result of shape {shape}</source>
        <translation>结果，形状 {shape}</translation>
    </message>
    <message>
        <source>Autograd lab</source>
        <translation>自动求导实验台</translation>
    </message>
    <message>
        <source>Code and tensors</source>
        <translation>代码与张量</translation>
    </message>
    <message>
        <source>Tensors and graph</source>
        <translation>张量与图</translation>
    </message>
    <message>
        <source>Views of the lab</source>
        <translation>实验台的视图</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Autograd graph of the lab</source>
        <translation>实验台的自动求导图</translation>
    </message>
    <message>
        <source>Run code that uses a tensor with requires_grad=True, outside of no_grad.</source>
        <translation>请运行在 no_grad 之外、用需要梯度的张量（requires_grad=True）进行计算的代码。</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Running code</source>
        <translation>代码正在运行</translation>
    </message>
    <message>
        <source>The first run loads PyTorch, which takes a few seconds.</source>
        <translation>首次运行时，它的进程要加载 PyTorch，需要几秒钟。</translation>
    </message>
    <message>
        <source>Tensors and details</source>
        <translation>张量与详细信息</translation>
    </message>
    <message>
        <source>Tensor details</source>
        <translation>张量的详细信息</translation>
    </message>
    <message>
        <source>Run the code again with requires_grad set on this leaf</source>
        <translation>为这个叶子张量设置 requires_grad 后重新运行代码</translation>
    </message>
    <message>
        <source>Run the code again and call retain_grad() on this tensor to keep its gradient</source>
        <translation>对这个张量调用 retain_grad() 后重新运行代码：它会保留 grad</translation>
    </message>
    <message>
        <source>Tensor or shape</source>
        <translation>张量或形状</translation>
    </message>
    <message>
        <source>Broadcasting</source>
        <translation>广播</translation>
    </message>
    <message>
        <source>with</source>
        <translation>与</translation>
    </message>
    <message>
        <source>Equation</source>
        <translation>等式</translation>
    </message>
    <message>
        <source>Operands</source>
        <translation>操作数</translation>
    </message>
    <message>
        <source>Index</source>
        <translation>索引</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向传播</translation>
    </message>
    <message>
        <source>Root of the graph</source>
        <translation>图的起点</translation>
    </message>
    <message>
        <source>The tensor where backward starts and whose graph is shown</source>
        <translation>反向传播从这个张量开始，显示的也是它的图</translation>
    </message>
    <message>
        <source>External gradient</source>
        <translation>外部梯度</translation>
    </message>
    <message>
        <source>gradient, e.g. [1., 2.]</source>
        <translation>梯度，如 [1., 2.]</translation>
    </message>
    <message>
        <source>The vector v of the vector-Jacobian product. Required if the root is not a scalar; must have the shape of the root.</source>
        <translation>向量-雅可比积中的向量 v：起点不是标量时需要，形状与它相同。</translation>
    </message>
    <message>
        <source>Keep graph</source>
        <translation>保留图</translation>
    </message>
    <message>
        <source>retain_graph=True: keep the saved tensors for another backward pass</source>
        <translation>retain_graph=True：保存的张量留给下一次反向传播</translation>
    </message>
    <message>
        <source>Existing gradients</source>
        <translation>已有的梯度</translation>
    </message>
    <message>
        <source>Accumulate</source>
        <translation>累加</translation>
    </message>
    <message>
        <source>Zero first</source>
        <translation>先清零</translation>
    </message>
    <message>
        <source>Add to the existing gradients, or set them to None first</source>
        <translation>加到已有的梯度上，或先把它们设为 None</translation>
    </message>
    <message>
        <source>Run backward</source>
        <translation>运行反向传播</translation>
    </message>
    <message>
        <source>Call backward() on the root</source>
        <translation>对起点调用 backward()</translation>
    </message>
    <message>
        <source>Backward from</source>
        <translation>反向传播起点</translation>
    </message>
    <message>
        <source>Lab code</source>
        <translation>实验台的代码</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>A lesson to run and edit, or your own code</source>
        <translation>可运行和修改的课程，或自己的代码</translation>
    </message>
    <message>
        <source>Restore the lesson&apos;s code</source>
        <translation>恢复课程原来的代码</translation>
    </message>
    <message>
        <source>What this lesson shows</source>
        <translation>本课要看什么</translation>
    </message>
    <message>
        <source>Import a NumPy array from a file</source>
        <translation>从文件导入 NumPy 数组</translation>
    </message>
    <message>
        <source>Import array</source>
        <translation>导入数组</translation>
    </message>
    <message>
        <source>Share memory (torch.from_numpy)…</source>
        <translation>共享其内存（torch.from_numpy）…</translation>
    </message>
    <message>
        <source>The tensor shares the memory of the array, so add_ changes both</source>
        <translation>张量位于数组的内存中：add_ 会同时改变两者</translation>
    </message>
    <message>
        <source>Copy (torch.tensor)…</source>
        <translation>复制（torch.tensor）…</translation>
    </message>
    <message>
        <source>The tensor has its own memory; changing one does not affect the other</source>
        <translation>张量有自己的内存：互不影响</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run the code</source>
        <translation>运行代码</translation>
    </message>
    <message>
        <source>Run the code from the start in a separate process (Ctrl+Enter)</source>
        <translation>在单独的进程中从头运行代码（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the code</source>
        <translation>停止代码</translation>
    </message>
    <message>
        <source>Stop the code and end its process</source>
        <translation>结束正在运行的代码及其进程</translation>
    </message>
    <message>
        <source>Restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>Restart the process</source>
        <translation>重启进程</translation>
    </message>
    <message>
        <source>End the process and run the code in a new one</source>
        <translation>结束进程，并在新进程中运行代码</translation>
    </message>
    <message>
        <source>Run under torch.no_grad()</source>
        <translation>在 torch.no_grad() 下运行</translation>
    </message>
    <message>
        <source>Run everything under torch.no_grad(), so no graph is built</source>
        <translation>整段代码都在 torch.no_grad() 下运行：不建图</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Printed output and expression values, by line</source>
        <translation>代码的输出和各表达式的值，按行显示</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Code and output</source>
        <translation>代码与输出</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>An expression using the variables of the code</source>
        <translation>可使用代码中名字的表达式</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Evaluate with the tensors of the code</source>
        <translation>用代码中的张量询问 PyTorch</translation>
    </message>
    <message>
        <source>Import NumPy array</source>
        <translation>导入 NumPy 数组</translation>
    </message>
</context>
<context>
    <name>Landscape</name>
    <message>
        <source>Around a run</source>
        <translation>围绕一次运行</translation>
    </message>
    <message>
        <source>Race on this model</source>
        <translation>在此模型上竞赛</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>Loading PyTorch and the data…</source>
        <translation>正在加载 PyTorch 和数据…</translation>
    </message>
    <message>
        <source>Racing: step {done} of {total}</source>
        <translation>竞赛中：第 {done} 步，共 {total} 步</translation>
    </message>
    <message>
        <source>Landscape: point {done} of {total}</source>
        <translation>地形：第 {done} 个点，共 {total} 个</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>No race yet</source>
        <translation>尚未竞赛</translation>
    </message>
    <message>
        <source>All optimizers start at the same point and see the same batches. Their paths are drawn over the loss, with loss curves beside them.</source>
        <translation>所有优化器从同一处出发，看到相同的批次。它们的路径画在损失之上，各自的损失画在旁边。</translation>
    </message>
    <message>
        <source>Race</source>
        <translation>竞赛</translation>
    </message>
    <message>
        <source>No checkpoint yet</source>
        <translation>尚无检查点</translation>
    </message>
    <message>
        <source>The loss around the weights of a run shows whether it ended in a wide or a narrow minimum, and how it got there. Train a model first.</source>
        <translation>运行的权重周围的损失显示它停在宽谷还是窄谷，以及如何到达那里。请先训练一个模型。</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>Not computed yet</source>
        <translation>尚未计算</translation>
    </message>
    <message>
        <source>The loss is evaluated on a grid in a plane through the weights of this checkpoint. This takes a few seconds for a small model.</source>
        <translation>在穿过该检查点权重的平面上逐点测量损失：小模型需要几秒钟。</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Use {optimizer}</source>
        <translation>采用 {optimizer}</translation>
    </message>
    <message>
        <source>The recipe now uses {optimizer}.</source>
        <translation>训练设置现在使用 {optimizer}。</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Losses appear after the first steps.</source>
        <translation>迈出最初几步后，损失会显示在这里。</translation>
    </message>
    <message>
        <source>Around step {step} of {run}.</source>
        <translation>围绕 {run} 的第 {step} 步。</translation>
    </message>
    <message>
        <source>Stopped with {known} of {total} points computed.</source>
        <translation>已停止：已算出 {total} 个点中的 {known} 个。</translation>
    </message>
    <message>
        <source>In the lead after {steps} {steps|step|steps}: {racer}, mean loss {loss} over its last {last} steps.</source>
        <translation>{steps} 步后领先：{racer}，最后 {last} 步的平均损失为 {loss}。</translation>
    </message>
    <message>
        <source>Blue is lower: {low} to {high}.</source>
        <translation>越蓝损失越低：从 {low} 到 {high}。</translation>
    </message>
    <message>
        <source>Each point is the mean loss of {count} {count|sample|samples}.</source>
        <translation>每个点是 {count} 个样本的平均损失。</translation>
    </message>
    <message>
        <source>The path starts at the first checkpoint instead of step 0: {reason}</source>
        <translation>路径从第一个检查点开始，而不是第 0 步：{reason}</translation>
    </message>
    <message>
        <source>({x}, {y}): {loss}</source>
        <translation>({x}, {y})：{loss}</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Random direction {number}</source>
        <translation>随机方向 {number}</translation>
    </message>
    <message>
        <source>Principal component {number} ({share} of the path)</source>
        <translation>主成分方向 {number}（占路径的 {share}）</translation>
    </message>
    <message>
        <source>From the recipe</source>
        <translation>与训练设置相同</translation>
    </message>
    <message>
        <source>Loss landscape</source>
        <translation>损失地形</translation>
    </message>
    <message>
        <source>Race and landscape</source>
        <translation>竞赛与地形</translation>
    </message>
    <message>
        <source>Step {step}</source>
        <translation>第 {step} 步</translation>
    </message>
    <message>
        <source>Type of landscape</source>
        <translation>地形的对象</translation>
    </message>
    <message>
        <source>Race steps</source>
        <translation>竞赛的步数</translation>
    </message>
    <message>
        <source>Steps per optimizer; for a model, one batch each</source>
        <translation>每个优化器走多少步；对模型而言即批次数</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Use the best</source>
        <translation>采用最优者</translation>
    </message>
    <message>
        <source>Use the leading optimizer in the recipe</source>
        <translation>把领先的优化器设为训练设置的优化器</translation>
    </message>
    <message>
        <source>Plane of the landscape</source>
        <translation>损失显示在哪个平面上</translation>
    </message>
    <message>
        <source>Along the path of the run</source>
        <translation>沿运行的路径</translation>
    </message>
    <message>
        <source>In random directions</source>
        <translation>沿随机方向</translation>
    </message>
    <message>
        <source>Grid points</source>
        <translation>网格的点数</translation>
    </message>
    <message>
        <source>Training samples averaged at each point</source>
        <translation>每个点对多少个训练样本取平均</translation>
    </message>
    <message>
        <source>{count} samples</source>
        <translation>{count} 个样本</translation>
    </message>
    <message>
        <source>All samples</source>
        <translation>全部样本</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Race losses</source>
        <translation>竞赛中的损失</translation>
    </message>
    <message>
        <source>Eliminated</source>
        <translation>已淘汰</translation>
    </message>
    <message>
        <source>No landscape yet</source>
        <translation>尚无地形</translation>
    </message>
    <message>
        <source>Play the paths</source>
        <translation>沿路径前进</translation>
    </message>
    <message>
        <source>Draw the paths step by step</source>
        <translation>逐步绘制路径</translation>
    </message>
    <message>
        <source>Path progress</source>
        <translation>路径绘制到哪一步</translation>
    </message>
    <message>
        <source>Step shown</source>
        <translation>显示的步</translation>
    </message>
    <message>
        <source>Loss at the pointer</source>
        <translation>指针处的损失</translation>
    </message>
    <message>
        <source>Optimizers in the race</source>
        <translation>参赛的优化器</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add an optimizer (up to {count})</source>
        <translation>添加一个优化器；最多 {count} 个参赛</translation>
    </message>
    <message>
        <source>Optimizer {number}</source>
        <translation>参赛者 {number}</translation>
    </message>
    <message>
        <source>Path color</source>
        <translation>其路径的颜色</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>An optimizer from torch.optim</source>
        <translation>优化器，即 torch.optim 中的实现</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>The learning rate of this optimizer. Set the recipe&apos;s learning rate on Train.</source>
        <translation>该优化器的学习率；训练设置的学习率在“训练”页设置。</translation>
    </message>
    <message>
        <source>Remove from the race</source>
        <translation>退出竞赛</translation>
    </message>
    <message>
        <source>Phase whose optimizer is raced</source>
        <translation>竞赛哪个阶段的优化器</translation>
    </message>
</context>
<context>
    <name>LandscapeChart</name>
    <message>
        <source>Landscape</source>
        <translation>地形</translation>
    </message>
    <message>
        <source>Paths; press Space to show or hide</source>
        <translation>路径；按空格键隐藏或显示</translation>
    </message>
</context>
<context>
    <name>Layers</name>
    <message>
        <source>During a run, Trellis regularly records statistics of the weights, gradients, updates and activations of each layer. Here you see how they develop.</source>
        <translation>训练时会不时查看各层的权重、梯度、更新和激活。这里显示它们如何变化。</translation>
    </message>
    <message>
        <source>No statistics yet</source>
        <translation>还没有统计</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>{name}: values</source>
        <translation>{name}：数值</translation>
    </message>
    <message>
        <source>{name}: gradient</source>
        <translation>{name}：梯度</translation>
    </message>
    <message>
        <source>{name}: update</source>
        <translation>{name}：更新</translation>
    </message>
    <message>
        <source>No data recorded.</source>
        <translation>没有这一项的记录。</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>dead units</source>
        <translation>死单元</translation>
    </message>
    <message>
        <source>NaN or infinite</source>
        <translation>NaN 或无穷</translation>
    </message>
    <message>
        <source>weight norm</source>
        <translation>权重范数</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>update / weight</source>
        <translation>更新 / 权重</translation>
    </message>
    <message>
        <source>activation std</source>
        <translation>激活标准差</translation>
    </message>
    <message>
        <source>In the last run, step {step}</source>
        <translation>上次运行第 {step} 步</translation>
    </message>
    <message>
        <source>Weight norm</source>
        <translation>权重范数</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Update / weight</source>
        <translation>更新 / 权重</translation>
    </message>
    <message>
        <source>Activation std</source>
        <translation>激活标准差</translation>
    </message>
    <message>
        <source>Dead units</source>
        <translation>死单元</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>fraction of zeros</source>
        <translation>零的比例</translation>
    </message>
    <message>
        <source>The norm of all weights of the layer over time.</source>
        <translation>该层全部权重的范数及其走势。</translation>
    </message>
    <message>
        <source>The norm of the gradients before clipping.</source>
        <translation>梯度在裁剪之前的范数。</translation>
    </message>
    <message>
        <source>How much a step changes the weights: the norm of the update divided by the norm of the weights. About 0.001 is typical.</source>
        <translation>一步对权重的改变：改变量的范数除以权重的范数。通常约为 0.001。</translation>
    </message>
    <message>
        <source>The standard deviation of the output of the layer.</source>
        <translation>该层输出的标准差。</translation>
    </message>
    <message>
        <source>Units (channels for images) whose output is 0 for the entire batch.</source>
        <translation>对整个批次输出都为 0 的单元（图像则为通道）。</translation>
    </message>
    <message>
        <source>There are NaN or infinite values.</source>
        <translation>有数值为 NaN 或无穷。</translation>
    </message>
    <message>
        <source>At least half of the units are dead: their output is always 0.</source>
        <translation>至少一半的单元已死：它们的输出始终为 0。</translation>
    </message>
    <message>
        <source>Vanishing gradient: almost nothing reaches this layer.</source>
        <translation>梯度消失：几乎没有梯度到达这里。</translation>
    </message>
    <message>
        <source>Exploding gradient: try clipping or a lower learning rate.</source>
        <translation>梯度爆炸：裁剪梯度或降低学习率会有帮助。</translation>
    </message>
    <message>
        <source>The weights barely change. The learning rate may be too low.</source>
        <translation>权重几乎不变：学习率可能太低。</translation>
    </message>
    <message>
        <source>Each step changes the weights a lot. The learning rate may be too high.</source>
        <translation>每一步对权重的改变都很大：学习率可能太高。</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Monitoring and its overhead</source>
        <translation>监测及其开销</translation>
    </message>
    <message>
        <source>Layers and histograms</source>
        <translation>各层与直方图</translation>
    </message>
    <message>
        <source>Record statistics</source>
        <translation>进行统计</translation>
    </message>
    <message>
        <source>Regularly record statistics of weights, gradients, updates and activations. This does not affect the results of the run. The default for new runs is in the recipe (Train, Monitoring).</source>
        <translation>不时查看运行的权重、梯度、更新和激活，不会改变运行的任何数值。运行开始时的设置在训练设置中（训练，观察）。</translation>
    </message>
    <message>
        <source>Monitoring limit</source>
        <translation>监测上限</translation>
    </message>
    <message>
        <source>at most</source>
        <translation>最多</translation>
    </message>
    <message>
        <source>The maximum share of training time for monitoring. Beyond it, statistics are recorded less often.</source>
        <translation>观察可占用的时间比例。超过时会减少统计次数。</translation>
    </message>
    <message>
        <source>Monitoring overhead</source>
        <translation>监测开销</translation>
    </message>
    <message>
        <source>On the canvas</source>
        <translation>画布上</translation>
    </message>
    <message>
        <source>What to show live as a bar and a number below each node</source>
        <translation>实时显示在模型每个节点下方的条形和数值</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Quantity</source>
        <translation>该层的哪一项</translation>
    </message>
    <message>
        <source>Chart type</source>
        <translation>绘制方式</translation>
    </message>
    <message>
        <source>Ridgeline</source>
        <translation>山脊图</translation>
    </message>
    <message>
        <source>Heatmap</source>
        <translation>热图</translation>
    </message>
    <message>
        <source>Values at the step</source>
        <translation>该步的数值</translation>
    </message>
    <message>
        <source>Recorded step</source>
        <translation>记录的步</translation>
    </message>
    <message>
        <source>Drag to see the layers at an earlier step</source>
        <translation>向回拖动，查看各层在更早一步时的样子</translation>
    </message>
    <message>
        <source>Step {step}</source>
        <translation>第 {step} 步</translation>
    </message>
</context>
<context>
    <name>Leaving</name>
    <message>
        <source>A run is in progress</source>
        <translation>有运行正在进行</translation>
    </message>
    <message>
        <source>It trains in the window&apos;s process and cannot continue without it. If you stop it now, its checkpoint and curves are kept and you can resume it later.</source>
        <translation>它在窗口自己的进程中训练，离开窗口就无法继续。现在停止会保留检查点和曲线，之后可以恢复。</translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation>保持运行</translation>
    </message>
    <message>
        <source>Stopping and saving the run…</source>
        <translation>正在停止并保存运行…</translation>
    </message>
    <message>
        <source>Stop and save</source>
        <translation>停止并保存</translation>
    </message>
    <message>
        <source>You can keep it running: it goes on by itself, and you follow it again when you reopen the project. Or stop it now and resume it later; its checkpoint and curves are kept.</source>
        <translation>可以让它继续运行：它会自行训练下去，再次打开项目时会找到并继续跟踪。也可以现在停止：检查点和曲线会保留，之后可以恢复。</translation>
    </message>
    <message>
        <source>The run has ended</source>
        <translation>运行已结束</translation>
    </message>
    <message>
        <source>It ended while you were asked about it. Its checkpoint and curves are kept.</source>
        <translation>询问期间运行已经结束，检查点和曲线都已保留。</translation>
    </message>
    <message>
        <source>Leave</source>
        <translation>离开</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Waiting for the run to begin…</source>
        <translation>正在等待运行开始…</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>hidden</source>
        <translation>已隐藏</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>已显示</translation>
    </message>
</context>
<context>
    <name>Library</name>
    <message>
        <source>“{name}” was added to your library and is available in all projects.</source>
        <translation>“{name}”已存入您的库，可用于所有项目。</translation>
    </message>
    <message>
        <source>“{name}” in your library was replaced.</source>
        <translation>您库中的“{name}”已被替换。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>“{name}” was removed from your library.</source>
        <translation>“{name}”已从您的库中移除。</translation>
    </message>
    <message>
        <source>My blocks</source>
        <translation>我的块</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>显示文件夹</translation>
    </message>
    <message>
        <source>These blocks are available in the palette of every project.</source>
        <translation>这些块会出现在每个项目的组件面板中。</translation>
    </message>
    <message>
        <source>No blocks yet. Select one on the canvas, then choose Model › Blocks › Save block to library.</source>
        <translation>还没有块。请在画布上选中一个块，然后选择“模型”›“块”›“将块保存到我的库”。</translation>
    </message>
</context>
<context>
    <name>LinePreview</name>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Curves; press Space to show or hide</source>
        <translation>曲线；空格键隐藏或显示</translation>
    </message>
</context>
<context>
    <name>Loading</name>
    <message>
        <source>Loading PyTorch and the data…</source>
        <translation>正在加载 PyTorch 和数据…</translation>
    </message>
    <message>
        <source>Canceled. The results so far are shown.</source>
        <translation>已放弃。显示的是此前的测量结果。</translation>
    </message>
    <message>
        <source>Set number of workers</source>
        <translation>设置工作进程数</translation>
    </message>
    <message>
        <source>Set workers and batch size</source>
        <translation>设置工作进程数和批大小</translation>
    </message>
    <message>
        <source>Suggest workers and batch size</source>
        <translation>建议工作进程数和批大小</translation>
    </message>
    <message>
        <source>Reads and transforms training batches for a few seconds with each number of workers, without the model, and counts the memory of a training step. A run in progress makes the timings unreliable.</source>
        <translation>用每种工作进程数读取并变换训练批次各几秒（不含模型），并统计一个训练步所需的内存。正在进行的运行会使计时不可靠。</translation>
    </message>
    <message>
        <source>Memory of batches</source>
        <translation>批次的内存</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Larger batches use the machine better, but change the training: the learning rate may have to grow with them.</source>
        <translation>较大的批能更好地利用机器，但会改变训练：学习率可能需要随之增大。</translation>
    </message>
    <message>
        <source>Measurements</source>
        <translation>测量结果</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作进程</translation>
    </message>
    <message>
        <source>Batches/s</source>
        <translation>批次/秒</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message>
        <source>First batch after</source>
        <translation>首个批次用时</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Measure now</source>
        <translation>开始测量</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Memory of a training step: {reason}</source>
        <translation>训练步的内存：{reason}</translation>
    </message>
    <message>
        <source>{size} free on {device}</source>
        <translation>{device} 上空闲 {size}</translation>
    </message>
    <message>
        <source>Not even a batch of one sample fits ({size}, {free}). Use a smaller model.</source>
        <translation>连一个样本的批也放不下（{size}，{free}）。请使用更小的模型。</translation>
    </message>
    <message>
        <source>A training step takes about {now} with batches of {chosen} and {most} with {largest}, the largest that fit ({free}).</source>
        <translation>批大小为 {chosen} 时一个训练步约需 {now}，为 {largest} 时约需 {most}，这是放得下的最大批（{free}）。</translation>
    </message>
    <message>
        <source>A training step takes about {now} with batches of {chosen}. The size is not limited by memory ({free}) but by the {samples} training samples.</source>
        <translation>批大小为 {chosen} 时一个训练步约需 {now}。限制批大小的不是内存（{free}），而是训练样本数 {samples}。</translation>
    </message>
    <message>
        <source>Set the batch size to {size}, too</source>
        <translation>同时把批大小设为 {size}</translation>
    </message>
    <message>
        <source>Reading batches without workers…</source>
        <translation>正在不用工作进程读取批次…</translation>
    </message>
    <message>
        <source>Reading batches with {count} {count|worker|workers}…</source>
        <translation>正在用 {count} 个工作进程读取批次…</translation>
    </message>
    <message>
        <source>No batch could be read.</source>
        <translation>无法读取任何批次。</translation>
    </message>
    <message>
        <source>{count} {count|worker is|workers are} a good choice already.</source>
        <translation>{count} 个工作进程已经是合适的选择。</translation>
    </message>
    <message>
        <source>{count} {count|worker reads|workers read} nearly as fast as this machine can. Choose Apply to use {count|it|them}. The number does not change the results of the run.</source>
        <translation>{count} 个工作进程的读取速度已接近本机的上限。选择“应用”即可使用。该数目不会改变运行的结果。</translation>
    </message>
    <message>
        <source>suggested</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>chosen now</source>
        <translation>当前选择</translation>
    </message>
    <message>
        <source>Pinned memory</source>
        <translation>锁页内存</translation>
    </message>
    <message>
        <source>Batches are copied to the GPU from page-locked memory while it computes. This is only used for data that is too large to be kept on the GPU.</source>
        <translation>在 GPU 计算的同时，从锁页内存把批次复制到 GPU。只用于太大、不能整个放在 GPU 上的数据。</translation>
    </message>
    <message>
        <source>Pinned memory: {reason}</source>
        <translation>锁页内存：{reason}</translation>
    </message>
    <message>
        <source>Pinned memory was not tried: it only helps with a CUDA device.</source>
        <translation>没有尝试锁页内存：它只在 CUDA 设备上有用。</translation>
    </message>
    <message>
        <source>To {device}: {plain} batches/s from pageable memory, {pinned} from pinned memory.</source>
        <translation>到 {device}：从可分页内存每秒 {plain} 个批次，从锁页内存每秒 {pinned} 个。</translation>
    </message>
    <message>
        <source>Switch pinned memory on, too</source>
        <translation>同时打开锁页内存</translation>
    </message>
</context>
<context>
    <name>Log</name>
    <message>
        <source>The run has no log file because it has not printed anything.</source>
        <translation>该运行没有输出任何内容，因此没有日志文件。</translation>
    </message>
    <message>
        <source>Epoch {epoch}: {values}</source>
        <translation>第 {epoch} 轮：{values}</translation>
    </message>
    <message>
        <source>Checkpoint {file} at step {step}</source>
        <translation>在第 {step} 步保存检查点 {file}</translation>
    </message>
    <message>
        <source>Checkpoint {file} at step {step}, the best so far</source>
        <translation>在第 {step} 步保存检查点 {file}，目前最佳</translation>
    </message>
    <message>
        <source>Paused at step {step}</source>
        <translation>在第 {step} 步暂停</translation>
    </message>
    <message>
        <source>Continued at step {step}</source>
        <translation>从第 {step} 步继续</translation>
    </message>
    <message>
        <source>{name} set to {value} at step {step}</source>
        <translation>从第 {step} 步起 {name} 为 {value}</translation>
    </message>
    <message>
        <source>{name} changed manually in step {step}: {expression}</source>
        <translation>{name} 在第 {step} 步被手动更改：{expression}</translation>
    </message>
    <message>
        <source>Statistics are off from step {step}</source>
        <translation>从第 {step} 步起不再采集统计</translation>
    </message>
    <message>
        <source>Monitoring limit set to {limit} at step {step}</source>
        <translation>从第 {step} 步起，监测上限设为 {limit}</translation>
    </message>
    <message>
        <source>Started: {place}, {parameters} {parameters|parameter|parameters}</source>
        <translation>已开始：{place}，{parameters} 个参数</translation>
    </message>
    <message>
        <source>Resumed from {file}: {place}</source>
        <translation>已从 {file} 继续：{place}</translation>
    </message>
    <message>
        <source>Ended at step {step}: {reason}</source>
        <translation>在第 {step} 步结束：{reason}</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message>
        <source>Messages and output of the run appear here.</source>
        <translation>运行的消息和输出会写在这里；目前还没有。</translation>
    </message>
    <message>
        <source>Application messages appear here.</source>
        <translation>程序的消息会写在这里。</translation>
    </message>
    <message>
        <source>Messages from the application and the run appear here.</source>
        <translation>程序和运行的消息会写在这里。</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Info and above</source>
        <translation>信息及以上</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Errors only</source>
        <translation>仅错误</translation>
    </message>
    <message>
        <source>Which lines to show</source>
        <translation>显示哪些行</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Application and run</source>
        <translation>程序和运行</translation>
    </message>
    <message>
        <source>Application</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Whose lines to show</source>
        <translation>显示谁的内容</translation>
    </message>
    <message>
        <source>Open run log file</source>
        <translation>打开运行日志文件</translation>
    </message>
    <message>
        <source>Show run log file in folder</source>
        <translation>在文件夹中显示运行的日志文件</translation>
    </message>
    <message>
        <source>Clear the view (the file is kept)</source>
        <translation>清空视图；文件保留不变</translation>
    </message>
    <message>
        <source>Follow new lines</source>
        <translation>跟随最新一行</translation>
    </message>
    <message>
        <source>Find (Ctrl+F)</source>
        <translation>查找（Ctrl+F）</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>Lora</name>
    <message>
        <source>Add LoRA</source>
        <translation>添加 LoRA</translation>
    </message>
    <message>
        <source>Remove LoRA</source>
        <translation>移除 LoRA</translation>
    </message>
    <message>
        <source>{count} {count|LoRA block becomes a plain layer|LoRA blocks become plain layers} again. What was learned is added to the weights, and the next run starts from the result. You can undo this.</source>
        <translation>{count} 个 LoRA 块将变回普通层。学到的内容会加到权重中，下一次运行从结果开始。可以撤销。</translation>
    </message>
    <message>
        <source>Merge LoRA</source>
        <translation>合并 LoRA</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>An adapter file holds only the trained pairs (lora_A, lora_B), so it is small. It needs the weights of the base model to be used.</source>
        <translation>适配器文件只含训练过的成对小层（lora_A、lora_B），因此很小。使用时需要基础模型的权重。</translation>
    </message>
    <message>
        <source>Save LoRA adapter</source>
        <translation>保存 LoRA 适配器</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Load LoRA adapter</source>
        <translation>加载 LoRA 适配器</translation>
    </message>
    <message>
        <source>The next run starts from {file}, with the adapter’s pairs.</source>
        <translation>下一次运行将从 {file} 开始，其中包含适配器的成对小层。</translation>
    </message>
    <message>
        <source>The next run starts from {file}, with the adapter’s pairs. The adapter does not tell its alpha, so that of the model is used.</source>
        <translation>下一次运行将从 {file} 开始，其中包含适配器的成对小层。适配器没有注明 alpha，因此使用模型的 alpha。</translation>
    </message>
    <message>
        <source>Merged. The next run starts from {file}.</source>
        <translation>已合并。下一次运行将从 {file} 开始。</translation>
    </message>
    <message>
        <source>Start weights</source>
        <translation>初始权重</translation>
    </message>
    <message>
        <source>LoRA rank</source>
        <translation>LoRA 秩</translation>
    </message>
    <message>
        <source>The size between lora_A and lora_B. More can learn more.</source>
        <translation>lora_A 与 lora_B 之间的大小。越大，能学的越多。</translation>
    </message>
    <message>
        <source>Alpha</source>
        <translation>alpha</translation>
    </message>
    <message>
        <source>The output of the pair is multiplied by alpha / rank.</source>
        <translation>成对小层的输出乘以 alpha / 秩。</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>Dropout before lora_A, in training only. Embeddings have none.</source>
        <translation>lora_A 之前的 Dropout，仅用于训练。嵌入层没有。</translation>
    </message>
    <message>
        <source>Freeze all other layers</source>
        <translation>冻结其他所有层</translation>
    </message>
    <message>
        <source>Trained parameters</source>
        <translation>参与训练的参数</translation>
    </message>
    <message>
        <source>Counting parameters…</source>
        <translation>正在统计参数…</translation>
    </message>
    <message>
        <source>{count} {count|layer|layers}: {names}. Each becomes a block that keeps the layer, frozen, and adds a small trained pair: base_layer(x) + alpha / rank · lora_B(lora_A(x)). The output is unchanged until training.</source>
        <translation>{count} 个层：{names}。每个层变成一个块：原来的层保留并冻结，旁边加上一对参与训练的小层：base_layer(x) + alpha / 秩 · lora_B(lora_A(x))。训练之前输出不变。</translation>
    </message>
    <message>
        <source>{trained} of {total} parameters are trained ({share}).</source>
        <translation>共 {total} 个参数，其中 {trained} 个参与训练（{share}）。</translation>
    </message>
    <message>
        <source>Train all layers</source>
        <translation>训练所有层</translation>
    </message>
    <message>
        <source>{count} {count|layer stays|layers stay} frozen: {names}.</source>
        <translation>{count} 个层仍被冻结：{names}。</translation>
    </message>
</context>
<context>
    <name>Map</name>
    <message>
        <source>Map of the samples</source>
        <translation>样本分布图</translation>
    </message>
    <message>
        <source>Points and selected samples</source>
        <translation>点与选中的样本</translation>
    </message>
    <message>
        <source>Samples as points</source>
        <translation>以散点显示样本</translation>
    </message>
    <message>
        <source>No map yet</source>
        <translation>尚无分布图</translation>
    </message>
    <message>
        <source>What the samples are compared by</source>
        <translation>按什么比较样本</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Layer whose output is mapped</source>
        <translation>以其输出绘制分布图的层</translation>
    </message>
    <message>
        <source>Projection</source>
        <translation>投影方法</translation>
    </message>
    <message>
        <source>Split to draw from</source>
        <translation>从哪个划分中抽取</translation>
    </message>
    <message>
        <source>Number of samples</source>
        <translation>样本数</translation>
    </message>
    <message>
        <source>If there are more samples, so many are drawn at random</source>
        <translation>样本更多时，随机抽取这么多个</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Read the samples and lay them out anew</source>
        <translation>重新读取样本并绘制分布图</translation>
    </message>
    <message>
        <source>Color</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>What the points are colored by</source>
        <translation>点的颜色表示什么</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Out of date</source>
        <translation>已过时</translation>
    </message>
    <message>
        <source>What to map</source>
        <translation>分布图的内容</translation>
    </message>
    <message>
        <source>Run and layer</source>
        <translation>运行与层</translation>
    </message>
    <message>
        <source>Color and summary</source>
        <translation>颜色与摘要</translation>
    </message>
    <message>
        <source>Selected samples</source>
        <translation>选中的样本</translation>
    </message>
    <message>
        <source>Select</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Select samples without the mouse</source>
        <translation>不用鼠标选择样本</translation>
    </message>
    <message>
        <source>Number of selected samples</source>
        <translation>选中的样本数</translation>
    </message>
    <message>
        <source>Show in Samples</source>
        <translation>在样本页中显示</translation>
    </message>
    <message>
        <source>List the selected samples on the Samples page, alone</source>
        <translation>在样本页中只列出选中的样本</translation>
    </message>
    <message>
        <source>How to select samples</source>
        <translation>如何选择样本</translation>
    </message>
    <message>
        <source>Nothing selected</source>
        <translation>未选中样本</translation>
    </message>
    <message>
        <source>Draw a line around points with the left mouse button. Shift adds, Alt or Ctrl takes away. With the keys: arrows go from point to point, Space selects, N adds the nearest, Ctrl+A selects all, Esc nothing.</source>
        <translation>按住鼠标左键圈出一些点。按住 Shift 添加，按住 Alt 或 Ctrl 去除。用键盘：方向键在点之间移动，空格键选中，N 添加近邻，Ctrl+A 全选，Esc 取消选择。</translation>
    </message>
    <message>
        <source>Selected samples as images</source>
        <translation>以图像显示选中的样本</translation>
    </message>
    <message>
        <source>Selected samples as a table</source>
        <translation>以表格显示选中的样本</translation>
    </message>
    <message>
        <source>Class label</source>
        <translation>类别标签</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分</translation>
    </message>
    <message>
        <source>Predicted class</source>
        <translation>预测类别</translation>
    </message>
    <message>
        <source>Right or wrong</source>
        <translation>预测对错</translation>
    </message>
    <message>
        <source>Neighbors of another class</source>
        <translation>其他类别的近邻</translation>
    </message>
    <message>
        <source>All shown</source>
        <translation>全部可见的样本</translation>
    </message>
    <message>
        <source>Wrong predictions</source>
        <translation>预测错误的样本</translation>
    </message>
    <message>
        <source>Most neighbors are of another class</source>
        <translation>多数近邻属于其他类别</translation>
    </message>
    <message>
        <source>Nearest to the selection or the focused point</source>
        <translation>所选样本或当前点的近邻</translation>
    </message>
    <message>
        <source>All others</source>
        <translation>反选</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>取消选择</translation>
    </message>
    <message>
        <source>Class {name}</source>
        <translation>类别 {name}</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>正确</translation>
    </message>
    <message>
        <source>Wrong</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>{shown} of {total} samples</source>
        <translation>{shown} / {total} 个样本</translation>
    </message>
    <message>
        <source>{count} without a value in these columns</source>
        <translation>{count} 个样本在这两列中缺少数值</translation>
    </message>
    <message>
        <source>{count} numbers each</source>
        <translation>每个样本 {count} 个数</translation>
    </message>
    <message>
        <source>{count} numbers each, reduced to {features}</source>
        <translation>每个样本 {count} 个数，缩减为 {features} 个</translation>
    </message>
    <message>
        <source>the plane holds {share} of the variance</source>
        <translation>平面包含 {share} 的方差</translation>
    </message>
    <message>
        <source>model of step {step}</source>
        <translation>第 {step} 步的模型</translation>
    </message>
    <message>
        <source>{count} could not be read</source>
        <translation>{count} 个样本无法读取</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples} selected</source>
        <translation>已选中 {count} 个样本</translation>
    </message>
    <message>
        <source>the first {shown} are listed</source>
        <translation>列出前 {shown} 个</translation>
    </message>
    <message>
        <source>predicted: {name}</source>
        <translation>预测：{name}</translation>
    </message>
    <message>
        <source>{odd} of {count} neighbors are of another class</source>
        <translation>{count} 个近邻中有 {odd} 个属于其他类别</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Component {number} ({share} of the variance)</source>
        <translation>主成分 {number}（方差的 {share}）</translation>
    </message>
    <message>
        <source>Input values</source>
        <translation>输入值</translation>
    </message>
    <message>
        <source>Output of a layer</source>
        <translation>层的输出</translation>
    </message>
    <message>
        <source>Model output</source>
        <translation>模型输出</translation>
    </message>
    <message>
        <source>PCA</source>
        <translation>PCA</translation>
    </message>
    <message>
        <source>t-SNE</source>
        <translation>t-SNE</translation>
    </message>
    <message>
        <source>All samples</source>
        <translation>全部样本</translation>
    </message>
    <message>
        <source>up to {count}</source>
        <translation>最多 {count} 个</translation>
    </message>
    <message>
        <source>Preparing…</source>
        <translation>准备中…</translation>
    </message>
    <message>
        <source>Reading samples: {done} of {total}</source>
        <translation>读取样本：{done} / {total}</translation>
    </message>
    <message>
        <source>Nearest neighbors: {done} of {total}</source>
        <translation>查找近邻：{done} / {total}</translation>
    </message>
    <message>
        <source>t-SNE: iteration {done} of {total}</source>
        <translation>t-SNE：第 {done} / {total} 次迭代</translation>
    </message>
    <message>
        <source>Out of date: the run has gone on, or its data have changed.</source>
        <translation>已过时：运行已有新的检查点，或选择了其他运行。</translation>
    </message>
    <message>
        <source>Out of date: the data have changed.</source>
        <translation>已过时：数据已更改。</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>No checkpoint yet</source>
        <translation>尚无检查点</translation>
    </message>
    <message>
        <source>This map shows what a trained model makes of the samples. Train a model first; the first checkpoint is saved after the first epoch.</source>
        <translation>此分布图显示训练好的模型如何看待样本。请先训练模型；第一个检查点在第一轮结束后保存。</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>Computing the map…</source>
        <translation>正在计算分布图…</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Every sample becomes a point; what is alike lies together.</source>
        <translation>每个样本成为一个点；相似的样本彼此靠近。</translation>
    </message>
    <message>
        <source>PCA shows the two directions in which the samples differ most; it is quick and distances keep their meaning. t-SNE puts neighbors together and so shows groups; distances between groups mean little. Two columns puts every sample where two of its own numbers say.</source>
        <translation>PCA 显示样本差异最大的两个方向，速度快，距离保持原有含义。t-SNE 把近邻放在一起，因此能显示出分组；分组之间的距离意义不大。“两列”按样本自身的两个数值确定位置。</translation>
    </message>
    <message>
        <source>Columns of the axes</source>
        <translation>坐标轴的列</translation>
    </message>
    <message>
        <source>Column from left to right</source>
        <translation>从左到右的列</translation>
    </message>
    <message>
        <source>Column from bottom to top</source>
        <translation>从下到上的列</translation>
    </message>
    <message>
        <source>Two columns</source>
        <translation>两列</translation>
    </message>
    <message>
        <source>Density</source>
        <translation>密度</translation>
    </message>
    <message>
        <source>Count all samples in the cells of the plane, not only the points drawn at random. Zoom in to count finer cells; points are drawn where few samples are left. A line drawn by hand selects among the points.</source>
        <translation>把所有样本计入平面的小格，而不只是随机抽取的点。放大后按更细的小格计数；剩下的样本很少时显示点。手绘的线只在点中选择。</translation>
    </message>
    <message>
        <source>all {total} samples counted</source>
        <translation>已计数全部 {total} 个样本</translation>
    </message>
    <message>
        <source>Samples per cell</source>
        <translation>每格样本数</translation>
    </message>
    <message>
        <source>Counting samples: {done} of {total}</source>
        <translation>正在计数样本：{done} / {total}</translation>
    </message>
    <message>
        <source>{count} of {drawn} points drawn at random selected</source>
        <translation>已从随机抽取的 {drawn} 个点中选中 {count} 个</translation>
    </message>
    <message>
        <source>splits of the run {name}</source>
        <translation>运行 {name} 的划分</translation>
    </message>
</context>
<context>
    <name>MatrixChart</name>
    <message>
        <source>Confusion matrix</source>
        <translation>混淆矩阵</translation>
    </message>
    <message>
        <source>{right} of {total} correct</source>
        <translation>对角线上 {right} / {total}</translation>
    </message>
    <message>
        <source>{true} predicted as {predicted}: {count}</source>
        <translation>{true} 被判为 {predicted}：{count}</translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>测量值</translation>
    </message>
    <message>
        <source>Total, measured in a step of the run</source>
        <translation>在运行的一步中统计的总量</translation>
    </message>
    <message>
        <source>No memory estimate yet.</source>
        <translation>尚无内存信息。</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>State that the optimizer keeps for each parameter, such as moments</source>
        <translation>优化器为每个参数保留的内容，例如各阶矩</translation>
    </message>
    <message>
        <source>Buffers</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>Saved tensors</source>
        <translation>已保存张量</translation>
    </message>
    <message>
        <source>Tensors that autograd saves from forward to backward. Saved weights are counted as parameters here, and at their Functions in the autograd graph.</source>
        <translation>自动求导从前向保留到反向的内容；其中的权重计入参数，在自动求导图中则计入各 Function。</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>The device memory would run out here</source>
        <translation>设备内存会在此处用尽</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>The size of the optimizer state is unknown before the run.</source>
        <translation>运行之前无法得知优化器保留的内容。</translation>
    </message>
    <message>
        <source>Measured in the run: {total}.</source>
        <translation>运行中测得：{total}。</translation>
    </message>
    <message>
        <source>Peak allocation on the device: {size}.</source>
        <translation>设备上最多分配了 {size}。</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Share of total, %</source>
        <translation>占总量的比例（%）</translation>
    </message>
    <message>
        <source>{limit} would run out at {name}. Use a smaller batch size.</source>
        <translation>{limit} 会在 {name} 处用尽：请减小批大小。</translation>
    </message>
    <message>
        <source>{limit} would run out at {name} even without a batch. Use fewer weights, or an optimizer with less state.</source>
        <translation>即使没有批次数据，{limit} 也会在 {name} 处用满：请减少权重，或选用保留更少状态的优化器。</translation>
    </message>
    <message>
        <source>{name} needs the most: a Linear layer has inputs × outputs weights, and {times} times as much with gradients and optimizer state. Reduce the number of its input features, or replace it with two narrower layers.</source>
        <translation>其中大部分属于 {name}：Linear 要保存“输入数 × 输出数”个权重，连同梯度和优化器共为其 {times} 倍。减少它前面的特征数，或改用两个较窄的层，会有帮助。</translation>
    </message>
    <message>
        <source>{name} needs the most: a recurrent layer saves the states of every time step for the backward pass. Use shorter sequences.</source>
        <translation>其中大部分属于 {name}：循环层会把每个时间步的状态一直保留到反向传播。缩短序列会有帮助。</translation>
    </message>
    <message>
        <source>Step memory</source>
        <translation>一步的内存</translation>
    </message>
    <message>
        <source>Estimate again</source>
        <translation>重新估计</translation>
    </message>
    <message>
        <source>Simulate a step on meta tensors and add up the memory it needs</source>
        <translation>执行不带数值的一步，统计它会保留什么</translation>
    </message>
    <message>
        <source>Measure step</source>
        <translation>测量一步</translation>
    </message>
    <message>
        <source>Measure the actual memory of the next step of the run</source>
        <translation>统计运行的下一步实际保留什么</translation>
    </message>
    <message>
        <source>Device memory</source>
        <translation>设备内存</translation>
    </message>
    <message>
        <source>Find the node at which this much memory would run out</source>
        <translation>这么多内存会在哪个节点用尽？</translation>
    </message>
    <message>
        <source>Loading PyTorch…</source>
        <translation>正在加载 PyTorch…</translation>
    </message>
    <message>
        <source>At most {peak} at once, with gradients of activations. On a CPU the process grows by more than its tensors, {least} to {most}, because memory that was freed between them is not returned to the system.</source>
        <translation>同一时刻最多 {peak}，包括激活值的梯度。在 CPU 上，进程的增长多于张量本身，为 {least} 到 {most}，因为在张量之间释放的内存不会归还系统。</translation>
    </message>
    <message>
        <source>Fits in {limit}.</source>
        <translation>{limit} 可以容纳。</translation>
    </message>
    <message>
        <source>Average of the weights</source>
        <translation>权重的平均</translation>
    </message>
    <message>
        <source>Teacher</source>
        <translation>教师模型</translation>
    </message>
    <message>
        <source>The tensors of a step need {total}: parameters {parameters}, gradients {gradients}, optimizer {optimizer}, saved tensors {saved}, batch {batch}{kept}.</source>
        <translation>一步的张量需要 {total}：参数 {parameters}，梯度 {gradients}，优化器 {optimizer}，已保存的张量 {saved}，批次 {batch}{kept}。</translation>
    </message>
    <message>
        <source>, average of the weights {size}</source>
        <translation>，权重的平均 {size}</translation>
    </message>
    <message>
        <source>, teacher {size}</source>
        <translation>，教师模型 {size}</translation>
    </message>
</context>
<context>
    <name>Messenger</name>
    <message>
        <source>Show details</source>
        <translation>查看详情</translation>
    </message>
</context>
<context>
    <name>Model</name>
    <message>
        <source>Add layer</source>
        <translation>添加层</translation>
    </message>
    <message>
        <source>Insert layer into wire</source>
        <translation>在连线中插入层</translation>
    </message>
    <message>
        <source>Rename layer</source>
        <translation>重命名层</translation>
    </message>
    <message>
        <source>Change setting</source>
        <translation>修改设置</translation>
    </message>
    <message>
        <source>Reset setting</source>
        <translation>重置设置</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>剪切</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>粘贴</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>创建副本</translation>
    </message>
    <message>
        <source>Several branches, of which one is active. Choose it in the inspector.</source>
        <translation>若干分支，其中一个参与计算：在设置中选择。</translation>
    </message>
    <message>
        <source>New switch</source>
        <translation>新开关</translation>
    </message>
    <message>
        <source>All nodes are pinned, so nothing was moved.</source>
        <translation>所有节点都已固定：没有移动任何节点。</translation>
    </message>
    <message>
        <source>Arrange</source>
        <translation>自动排列</translation>
    </message>
    <message>
        <source>Select the nodes to pin.</source>
        <translation>请先选择要固定的节点。</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>A Flatten layer was inserted because Linear expects a vector for each sample.</source>
        <translation>已插入一个 Flatten：Linear 对每个样本接收一行数字。</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Reconnect</source>
        <translation>改接</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>The code was copied to the clipboard.</source>
        <translation>代码已复制到剪贴板。</translation>
    </message>
    <message>
        <source>Save code</source>
        <translation>保存代码</translation>
    </message>
    <message>
        <source>There is no code yet. Fix the problems first.</source>
        <translation>尚无代码：请先解决问题。</translation>
    </message>
    <message>
        <source>Model workspace</source>
        <translation>模型工作区</translation>
    </message>
    <message>
        <source>Canvas and code</source>
        <translation>画布与代码</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Group into a block</source>
        <translation>组合成块</translation>
    </message>
    <message>
        <source>Create switch</source>
        <translation>创建开关</translation>
    </message>
    <message>
        <source>Unpack block</source>
        <translation>展开块</translation>
    </message>
    <message>
        <source>Remove block</source>
        <translation>移除块</translation>
    </message>
    <message>
        <source>There are no unused blocks.</source>
        <translation>所有块都在使用中或已保留。</translation>
    </message>
    <message>
        <source>Remove unused blocks</source>
        <translation>移除未使用的块</translation>
    </message>
    <message>
        <source>Removed: {names}.</source>
        <translation>已移除：{names}。</translation>
    </message>
    <message>
        <source>Make block unique</source>
        <translation>改为独立的块</translation>
    </message>
    <message>
        <source>Use own weights</source>
        <translation>使用自己的权重</translation>
    </message>
    <message>
        <source>Share weights with another layer</source>
        <translation>使用另一层的权重</translation>
    </message>
    <message>
        <source>“{name}” now shares the weights of “{owner}”.</source>
        <translation>“{name}”现在使用“{owner}”的权重。</translation>
    </message>
    <message>
        <source>Change block</source>
        <translation>修改块</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Distribute</source>
        <translation>均匀分布</translation>
    </message>
    <message>
        <source>{count} {count|node is|nodes are} selected.</source>
        <translation>已选择 {count} 个节点。</translation>
    </message>
    <message>
        <source>All of them are pinned, so nothing was moved.</source>
        <translation>所选节点都已固定，没有移动任何节点。</translation>
    </message>
    <message>
        <source>Add layers</source>
        <translation>添加一行层</translation>
    </message>
    <message>
        <source>Bypass</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Stop bypassing</source>
        <translation>取消跳过</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>静音</translation>
    </message>
    <message>
        <source>Unmute</source>
        <translation>取消静音</translation>
    </message>
    <message>
        <source>The canvas is empty, so there is nothing to export.</source>
        <translation>画布是空的，没有可画的内容。</translation>
    </message>
    <message>
        <source>Export model image</source>
        <translation>导出模型图片</translation>
    </message>
    <message>
        <source>{kind} with embedded project (*.{ending})</source>
        <translation>{kind}，内含项目 (*.{ending})</translation>
    </message>
    <message>
        <source>{kind}, image only (*.{ending})</source>
        <translation>{kind}，仅图片 (*.{ending})</translation>
    </message>
    <message>
        <source>Choose a file name that ends in .png, .svg or .pdf.</source>
        <translation>请选择以 .png、.svg 或 .pdf 结尾的文件。</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>边框</translation>
    </message>
    <message>
        <source>Add frame</source>
        <translation>添加边框</translation>
    </message>
    <message>
        <source>Add note</source>
        <translation>添加便签</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>便签</translation>
    </message>
    <message>
        <source>Change color</source>
        <translation>更改颜色</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展开</translation>
    </message>
    <message>
        <source>Edit frame or note</source>
        <translation>更改边框或便签</translation>
    </message>
    <message>
        <source>Freeze</source>
        <translation>冻结</translation>
    </message>
    <message>
        <source>Unfreeze</source>
        <translation>解冻</translation>
    </message>
    <message>
        <source>Cut off following layers</source>
        <translation>截掉后续层</translation>
    </message>
    <message>
        <source>Cut off {count} {count|layer|layers}. You can undo this.</source>
        <translation>截掉了 {count} 层。撤销可恢复。</translation>
    </message>
    <message>
        <source>Add output</source>
        <translation>添加输出</translation>
    </message>
    <message>
        <source>The model now also returns “{name}”.</source>
        <translation>模型现在还输出“{name}”。</translation>
    </message>
    <message>
        <source>This is already an output of the model.</source>
        <translation>它已经是模型的输出了。</translation>
    </message>
    <message>
        <source>Delete and reconnect</source>
        <translation>删除并重新连接</translation>
    </message>
    <message>
        <source>Replace layer</source>
        <translation>替换一层</translation>
    </message>
    <message>
        <source>The last layer with weights before each output ({names}) gets this number of outputs and keeps its name. Its weights are reinitialized; all others are kept.</source>
        <translation>每个输出之前最后一个带权重的层（{names}）将有这么多个输出，名称不变。它的权重重新初始化，其余权重保持不变。</translation>
    </message>
    <message>
        <source>Number of classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Change number of classes</source>
        <translation>更改类别数</translation>
    </message>
    <message>
        <source>Synchronize batch norms</source>
        <translation>同步批归一化</translation>
    </message>
    <message>
        <source>Batch norms now share their statistics across the processes of a run on several GPUs. This only works on GPUs. In a single process they work as before.</source>
        <translation>现在，批归一化会在多 GPU 训练的各进程之间共享统计量。这只在 GPU 上有效；在单个进程中计算与以前相同。</translation>
    </message>
    <message>
        <source>Channels or features</source>
        <translation>通道数或特征数</translation>
    </message>
    <message>
        <source>Change width</source>
        <translation>更改宽度</translation>
    </message>
    <message>
        <source>Layers that follow adapt automatically.</source>
        <translation>其后的层会自动采用该数目。</translation>
    </message>
    <message>
        <source>Layers that follow adapt automatically. These layers change as well, because their outputs are added: {names}.</source>
        <translation>其后的层会自动采用该数目。以下各层也会一起更改，因为它们的输出与它相加：{names}。</translation>
    </message>
    <message>
        <source>Drop an image on an Input to run the trained model on it.</source>
        <translation>请把图片放到一个输入节点上，以询问训练好的模型。</translation>
    </message>
    <message>
        <source>“{name}” does not accept images: its shape is not channels × height × width.</source>
        <translation>“{name}”不接收图片：其形状不是 通道 × 高 × 宽。</translation>
    </message>
</context>
<context>
    <name>NewProject</name>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>新建项目</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Search templates</source>
        <translation>搜索模板</translation>
    </message>
    <message>
        <source>Search templates…</source>
        <translation>搜索模板…</translation>
    </message>
    <message>
        <source>Empty model</source>
        <translation>空模型</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Location of the project folder</source>
        <translation>项目文件夹的位置</translation>
    </message>
    <message>
        <source>Enter a name without slashes.</source>
        <translation>名称不能为空，也不能包含斜杠。</translation>
    </message>
    <message>
        <source>An item with that name already exists.</source>
        <translation>同名的文件或文件夹已存在。</translation>
    </message>
</context>
<context>
    <name>Notification</name>
    <message>
        <source>Notification</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Notification type</source>
        <translation>通知类型</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Outline</name>
    <message>
        <source>Structure and parameters</source>
        <translation>结构与参数</translation>
    </message>
    <message>
        <source>Structure</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>L2 norm in the run shown in Train, at its last recorded step. It is updated during the run.</source>
        <translation>“训练”中显示的运行在最近一次记录时的值：平方和的平方根。运行进行时随之更新。</translation>
    </message>
    <message>
        <source>Modules</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>The contents of each nn.Module&apos;s dictionaries: its own parameters and buffers, its direct submodules, and its hooks. Modules in plain lists are not registered.</source>
        <translation>每个 nn.Module 在其字典中保存的内容：自身的参数和缓冲区、直接包含的模块以及钩子。放在普通列表里的不在其中任何一个。</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter by name or type…</source>
        <translation>按名称或类型筛选…</translation>
    </message>
    <message>
        <source>Show only matching entries at any depth, such as conv for every convolution</source>
        <translation>只显示包含此文本的项，无论嵌套多深：输入 conv 即列出所有卷积层</translation>
    </message>
    <message>
        <source>Copy the contents of this tab</source>
        <translation>复制此标签页显示的内容</translation>
    </message>
    <message>
        <source>frozen</source>
        <translation>已冻结</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>buffer</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>(the model)</source>
        <translation>（模型）</translation>
    </message>
    <message>
        <source>not saved</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>{count} parameter {count|tensor|tensors} with {numbers} {numbers|element|elements}; {buffers} {buffers|element|elements} in buffers</source>
        <translation>{count} 个参数张量，共 {numbers} 个数值；缓冲区中 {buffers} 个数值</translation>
    </message>
    <message>
        <source>uniform, ±{spread}</source>
        <translation>均匀分布，±{spread}</translation>
    </message>
    <message>
        <source>Xavier uniform, ±{spread}</source>
        <translation>Xavier 均匀分布，±{spread}</translation>
    </message>
    <message>
        <source>normal, std {spread}</source>
        <translation>正态分布，标准差 {spread}</translation>
    </message>
    <message>
        <source>all {spread}</source>
        <translation>全为 {spread}</translation>
    </message>
    <message>
        <source>ones</source>
        <translation>全 1</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>全 0</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Trainable</source>
        <translation>可训练</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Data type</source>
        <translation>数据类型</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Initialization</source>
        <translation>初始化</translation>
    </message>
    <message>
        <source>Norm in the run</source>
        <translation>训练中的范数</translation>
    </message>
    <message>
        <source>Norm of the gradient</source>
        <translation>梯度的范数</translation>
    </message>
    <message>
        <source>Hooks</source>
        <translation>钩子</translation>
    </message>
</context>
<context>
    <name>OverlayBar</name>
    <message>
        <source>Mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>true</source>
        <translation>真实</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>missed</source>
        <translation>漏检</translation>
    </message>
    <message>
        <source>false</source>
        <translation>误检</translation>
    </message>
    <message>
        <source>another class</source>
        <translation>其他类别</translation>
    </message>
    <message>
        <source>score ≥ {score}</source>
        <translation>得分 ≥ {score}</translation>
    </message>
    <message>
        <source>True boxes</source>
        <translation>真实边界框</translation>
    </message>
    <message>
        <source>Found boxes</source>
        <translation>找到的边界框</translation>
    </message>
    <message>
        <source>Missed and false</source>
        <translation>漏检与误检</translation>
    </message>
    <message>
        <source>True points</source>
        <translation>真实点</translation>
    </message>
    <message>
        <source>Predicted points</source>
        <translation>预测点</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>Points to show</source>
        <translation>显示的点</translation>
    </message>
    <message>
        <source>Show the true points, the predicted ones, or both ({key})</source>
        <translation>显示真实点、预测点，或两者（{key}）</translation>
    </message>
    <message>
        <source>Opacity of the points</source>
        <translation>点的不透明度</translation>
    </message>
    <message>
        <source>Mask to show</source>
        <translation>显示哪个掩码</translation>
    </message>
    <message>
        <source>Show the true mask, the prediction, or where they differ ({key})</source>
        <translation>显示真实掩码、预测，或两者不同之处（{key}）</translation>
    </message>
    <message>
        <source>Boxes to show</source>
        <translation>显示的边界框</translation>
    </message>
    <message>
        <source>Show the true boxes, the found ones, or what differs ({key})</source>
        <translation>显示真实边界框、找到的边界框，或两者的差异（{key}）</translation>
    </message>
    <message>
        <source>Lowest score</source>
        <translation>最低得分</translation>
    </message>
    <message>
        <source>Show boxes with this score or a higher one</source>
        <translation>显示得分不低于此值的边界框</translation>
    </message>
    <message>
        <source>Opacity of the mask</source>
        <translation>掩码的不透明度</translation>
    </message>
    <message>
        <source>Opacity of the boxes</source>
        <translation>边界框的不透明度</translation>
    </message>
</context>
<context>
    <name>OwnCode</name>
    <message>
        <source>New file {file}</source>
        <translation>新建文件 {file}</translation>
    </message>
    <message>
        <source>Rename {file}</source>
        <translation>重命名 {file}</translation>
    </message>
    <message>
        <source>The external editor for “{file}” could not be started.</source>
        <translation>无法启动任何程序来编辑“{file}”。</translation>
    </message>
    <message>
        <source>Another program has changed “{file}”.</source>
        <translation>“{file}”已被其他程序修改。</translation>
    </message>
    <message>
        <source>Another program has added “{file}” to the project.</source>
        <translation>其他程序把“{file}”放进了项目。</translation>
    </message>
    <message>
        <source>Load and trust</source>
        <translation>载入并信任</translation>
    </message>
    <message>
        <source>Load restricted</source>
        <translation>载入但不运行</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>保留我的</translation>
    </message>
    <message>
        <source>“{file}” was changed in the external editor.</source>
        <translation>“{file}”已在另一个编辑器中修改。</translation>
    </message>
    <message>
        <source>“{file}” was changed here and by another program. Both versions are kept until you choose one.</source>
        <translation>“{file}”在这里和其他程序中都有修改。在您选择之前，两份文本都会保留。</translation>
    </message>
    <message>
        <source>Use the other version</source>
        <translation>采用另一份</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>两份都保留</translation>
    </message>
    <message>
        <source>Another program has deleted “{file}” or made it unreadable.</source>
        <translation>“{file}”已被其他程序删除或变得无法读取。</translation>
    </message>
    <message>
        <source>Keep here</source>
        <translation>在这里保留</translation>
    </message>
    <message>
        <source>Remove here too</source>
        <translation>这里也移除</translation>
    </message>
    <message>
        <source>Load {file}</source>
        <translation>载入 {file}</translation>
    </message>
    <message>
        <source>Saving will write “{file}” as it is here.</source>
        <translation>保存时会按这里的内容写入“{file}”。</translation>
    </message>
    <message>
        <source>Remove {file}</source>
        <translation>移除 {file}</translation>
    </message>
    <message>
        <source>The external editor for “{file}” was not started because “{part}” could run folder names as commands. In Preferences, enter the editor itself with {{file}} as a separate argument, without a shell or batch file.</source>
        <translation>没有启动程序来编辑“{file}”：“{part}”会把所在文件夹的名称当作命令来读取。请在“首选项”中指定编辑器本身，并让 {{file}} 单独成为一个词：不要使用 shell、批处理文件，也不要把它写进更长的文本中。</translation>
    </message>
    <message>
        <source>“{file}” was removed.</source>
        <translation>已移除“{file}”。</translation>
    </message>
    <message>
        <source>Edit {file}</source>
        <translation>编辑 {file}</translation>
    </message>
    <message>
        <source>On the canvas: {names}</source>
        <translation>可放上画布：{names}</translation>
    </message>
    <message>
        <source>Losses: {names}</source>
        <translation>损失：{names}</translation>
    </message>
    <message>
        <source>Metrics: {names}</source>
        <translation>指标：{names}</translation>
    </message>
    <message>
        <source>Initializers: {names}</source>
        <translation>初始化函数：{names}</translation>
    </message>
    <message>
        <source>Data: {names}</source>
        <translation>数据：{names}</translation>
    </message>
    <message>
        <source>This file does not define a layer, tensor function or data set yet.</source>
        <translation>此文件还没有定义层、张量函数或数据集。</translation>
    </message>
    <message>
        <source>Custom code</source>
        <translation>自定义代码</translation>
    </message>
    <message>
        <source>Code files</source>
        <translation>代码文件</translation>
    </message>
    <message>
        <source>New code file</source>
        <translation>新建代码文件</translation>
    </message>
    <message>
        <source>File commands</source>
        <translation>此文件的命令</translation>
    </message>
    <message>
        <source>Close the editor (files are kept)</source>
        <translation>关闭编辑器；文件保留</translation>
    </message>
    <message>
        <source>No custom code yet</source>
        <translation>还没有自定义代码</translation>
    </message>
    <message>
        <source>Write a layer, a function or a loss here. It appears in the palette and works like PyTorch&apos;s own.</source>
        <translation>层、函数、损失：在这里的文件中写下的内容会出现在组件面板里，与 PyTorch 自带的一样使用。</translation>
    </message>
    <message>
        <source>New layer</source>
        <translation>新建层</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Line and column</source>
        <translation>行与列</translation>
    </message>
    <message>
        <source>Show the canvas beside the code</source>
        <translation>在代码旁显示画布</translation>
    </message>
    <message>
        <source>Maximize the code</source>
        <translation>让代码占用全部空间</translation>
    </message>
    <message>
        <source>Text of {file}</source>
        <translation>{file} 的文本</translation>
    </message>
    <message>
        <source>line {line}, column {column}</source>
        <translation>第 {line} 行，第 {column} 列</translation>
    </message>
</context>
<context>
    <name>PagedBrowser</name>
    <message>
        <source>Gallery</source>
        <translation>图库</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Image size</source>
        <translation>图片大小</translation>
    </message>
    <message>
        <source>Choose columns</source>
        <translation>选择列</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Palette</source>
        <translation>组件面板</translation>
    </message>
    <message>
        <source>Search layers and operators</source>
        <translation>搜索层和运算</translation>
    </message>
    <message>
        <source>Search layers…</source>
        <translation>搜索层…</translation>
    </message>
    <message>
        <source>Layers and operators</source>
        <translation>层和运算</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Drag onto the canvas, or press Enter to add.</source>
        <translation>拖到画布上，或按 Enter 添加。</translation>
    </message>
    <message>
        <source>No results. Try “conv”, “norm” or “concat”.</source>
        <translation>没有匹配的名称。试试“conv”、“norm”或“concat”。</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Remove from project</source>
        <translation>从项目中移除</translation>
    </message>
    <message>
        <source>Results ({count})</source>
        <translation>找到（{count}）</translation>
    </message>
</context>
<context>
    <name>ParallelChart</name>
    <message>
        <source>Parallel coordinates</source>
        <translation>平行坐标</translation>
    </message>
</context>
<context>
    <name>Pipeline</name>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>The part of the data whose way to the model is shown</source>
        <translation>显示哪一部分数据到模型的过程</translation>
    </message>
    <message>
        <source>An epoch</source>
        <translation>一轮</translation>
    </message>
    <message>
        <source>Way from the files to the model</source>
        <translation>从文件到模型的过程</translation>
    </message>
    <message>
        <source>Amount of data</source>
        <translation>数据量</translation>
    </message>
    <message>
        <source>Suggest workers…</source>
        <translation>建议工作进程数…</translation>
    </message>
    <message>
        <source>Measure with how many workers batches come fastest on this machine</source>
        <translation>测量在这台机器上用多少个工作进程读取批次最快</translation>
    </message>
    <message>
        <source>Which samples</source>
        <translation>选哪些样本</translation>
    </message>
    <message>
        <source>The main process lists the samples of every batch before any of them is read.</source>
        <translation>主进程先列出每个批次包含哪些样本，之后才读取它们。</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>The process that trains takes the batches in their order.</source>
        <translation>训练的进程按顺序取用批次。</translation>
    </message>
    <message>
        <source>An epoch: {samples} samples in {count} {count|batch|batches} of {size}</source>
        <translation>一轮：{samples} 个样本，每批 {size} 个，共 {count} 个批次</translation>
    </message>
    <message>
        <source>An evaluation: {samples} samples in {count} {count|batch|batches} of {size}</source>
        <translation>一次评估：{samples} 个样本，每批 {size} 个，共 {count} 个批次</translation>
    </message>
    <message>
        <source>, the last one of {rest}</source>
        <translation>，最后一批 {rest} 个</translation>
    </message>
    <message>
        <source>; the last {count} {count|sample is|samples are} left out</source>
        <translation>；最后 {count} 个样本被舍去</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分</translation>
    </message>
    <message>
        <source>{count} {count|index|indices} per batch</source>
        <translation>每批 {count} 个索引</translation>
    </message>
    <message>
        <source>a smaller last batch is left out</source>
        <translation>舍去不满的最后一批</translation>
    </message>
    <message>
        <source>the last batch may be smaller</source>
        <translation>最后一批可能较小</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>{count} {count|rank|ranks}</source>
        <translation>{count} 个 rank</translation>
    </message>
    <message>
        <source>each reads {count} {count|sample|samples} of every batch</source>
        <translation>每个读取每批中的 {count} 个样本</translation>
    </message>
    <message>
        <source>in order</source>
        <translation>按顺序</translation>
    </message>
    <message>
        <source>as every evaluation</source>
        <translation>评估总是如此</translation>
    </message>
    <message>
        <source>drawn from seed {seed} and the epoch</source>
        <translation>由种子 {seed} 和轮次决定</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>balanced by {column}</source>
        <translation>按{column}均衡</translation>
    </message>
    <message>
        <source>weighted by {column}</source>
        <translation>按 {column} 加权</translation>
    </message>
    <message>
        <source>bucketed by length</source>
        <translation>按长度分桶</translation>
    </message>
    <message>
        <source>shuffled, each sample once</source>
        <translation>打乱，每个样本一次</translation>
    </message>
    <message>
        <source>the same order in every epoch</source>
        <translation>每轮顺序相同</translation>
    </message>
    <message>
        <source>the easiest by {column} first</source>
        <translation>按 {column} 先易后难</translation>
    </message>
    <message>
        <source>fold {fold} of {folds}</source>
        <translation>第 {fold} 折，共 {folds} 折</translation>
    </message>
    <message>
        <source>drawn at random</source>
        <translation>随机抽取</translation>
    </message>
    <message>
        <source>stratified</source>
        <translation>分层抽取</translation>
    </message>
    <message>
        <source>by groups of {column}</source>
        <translation>按 {column} 分组</translation>
    </message>
    <message>
        <source>as {column} says</source>
        <translation>由 {column} 指定</translation>
    </message>
    <message>
        <source>as the data says</source>
        <translation>由数据指定</translation>
    </message>
    <message>
        <source>by time ({column})</source>
        <translation>按时间（{column}）</translation>
    </message>
    <message>
        <source>in the order of the data</source>
        <translation>按数据的顺序</translation>
    </message>
    <message>
        <source>Reading: in the process that trains</source>
        <translation>读取：在训练的进程中</translation>
    </message>
    <message>
        <source>Reading: in {count} {count|worker|workers}</source>
        <translation>读取：在 {count} 个工作进程中</translation>
    </message>
    <message>
        <source>The samples are tensors in memory already: a batch is taken from them in one go.</source>
        <translation>样本已是内存中的张量：一次即可取出一个批次。</translation>
    </message>
    <message>
        <source>The model waits while a batch is read. Workers would read it meanwhile.</source>
        <translation>读取批次时模型在等待。工作进程可以同时读取。</translation>
    </message>
    <message>
        <source>Each is up to {ahead} {ahead|batch|batches} ahead: at most {count} {count|batch waits|batches wait} in memory while the model computes.</source>
        <translation>每个最多提前 {ahead} 个批次：模型计算时，内存中最多有 {count} 个批次在等待。</translation>
    </message>
    <message>
        <source>reads the samples of a batch</source>
        <translation>读取一个批次的样本</translation>
    </message>
    <message>
        <source>Normalization</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>with the values of the training part</source>
        <translation>使用训练部分的数值</translation>
    </message>
    <message>
        <source>Blending</source>
        <translation>混合</translation>
    </message>
    <message>
        <source> or </source>
        <translation>或</translation>
    </message>
    <message>
        <source>labels become shares of classes</source>
        <translation>标签变为各类别的比例</translation>
    </message>
    <message>
        <source>with the lengths before padding</source>
        <translation>附带填充前的长度</translation>
    </message>
    <message>
        <source>with a mask of the padding</source>
        <translation>附带填充的掩码</translation>
    </message>
    <message>
        <source>texts up to the longest of the batch</source>
        <translation>文本填充到该批中最长的</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>以及另外 {count} 个</translation>
    </message>
    <message>
        <source>{count} {count|transform|transforms} of each sample</source>
        <translation>对每个样本做 {count} 个变换</translation>
    </message>
    <message>
        <source>Transforms</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>none for this part</source>
        <translation>这一部分没有变换</translation>
    </message>
    <message>
        <source>Pinned memory</source>
        <translation>锁页内存</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>matters for GPUs only</source>
        <translation>只对 GPU 有影响</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>the batch is copied there</source>
        <translation>批次被复制到那里</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>computes its outputs from the inputs</source>
        <translation>由输入计算输出</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>compares the outputs with the targets</source>
        <translation>比较输出与目标</translation>
    </message>
    <message>
        <source>no workers</source>
        <translation>没有工作进程</translation>
    </message>
    <message>
        <source>{count} {count|worker|workers}</source>
        <translation>{count} 个工作进程</translation>
    </message>
    <message>
        <source>started anew in every epoch</source>
        <translation>每轮重新启动</translation>
    </message>
    <message>
        <source>stacks the samples (stack)</source>
        <translation>堆叠样本（stack）</translation>
    </message>
    <message>
        <source>fills smaller samples up (pad)</source>
        <translation>填充较小的样本（pad）</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples}</source>
        <translation>{count} 个样本</translation>
    </message>
    <message>
        <source>Samples have sizes of their own, so they are read batch by batch. Workers do that while the model computes.</source>
        <translation>样本大小各不相同，因此逐批读取。工作进程可以在模型计算时完成读取。</translation>
    </message>
    <message>
        <source>The {count} training samples take {size} as tensors and stay in memory. Workers would only have to send copies of them: 0 is best.</source>
        <translation>{count} 个训练样本作为张量占 {size}，一直在内存中。工作进程只会多传一份副本：0 个最好。</translation>
    </message>
    <message>
        <source>As tensors, the {count} training samples would take {size} ({each} each), so every epoch reads and transforms them batch by batch. With workers that happens while the model computes; the results are the same with any number.</source>
        <translation>作为张量，{count} 个训练样本要占 {size}（每个 {each}），因此每轮都逐批读取并变换。有工作进程时，这与模型的计算同时进行；无论多少个，结果都相同。</translation>
    </message>
    <message>
        <source>The data set: it knows how many samples there are and reads one by its number (Dataset.__getitem__). Choose to go to its settings.</source>
        <translation>数据集：它知道有多少个样本，并按编号读取其中一个（Dataset.__getitem__）。选择可转到其设置。</translation>
    </message>
    <message>
        <source>Which samples belong to this part. Each sample is in one part only, so that evaluation uses samples that the model has not learned from.</source>
        <translation>哪些样本属于这一部分。每个样本只在一个部分中，这样评估用的是模型没有学过的样本。</translation>
    </message>
    <message>
        <source>The order in which samples are used (torch.utils.data.Sampler). It gives numbers, not samples. Evaluation goes through its part in order.</source>
        <translation>使用样本的顺序（torch.utils.data.Sampler）。它给出的是编号，而不是样本。评估按顺序遍历其部分。</translation>
    </message>
    <message>
        <source>Groups the numbers of the sampler (BatchSampler). Each group becomes one batch.</source>
        <translation>把采样器给出的编号分组（BatchSampler）。每组成为一个批次。</translation>
    </message>
    <message>
        <source>With several processes, each computes its share of every batch, as with DistributedSampler. The results are those of one process with the whole batch.</source>
        <translation>有多个进程时，每个进程计算每个批次中自己的一份，如同 DistributedSampler。结果与一个进程计算整个批次相同。</translation>
    </message>
    <message>
        <source>Takes the numbers of a batch and reads these samples, in the process that trains or in a worker (num_workers). Choose to set the number of workers.</source>
        <translation>按一个批次的编号读取这些样本，在训练的进程或工作进程中进行（num_workers）。选择可设置工作进程数。</translation>
    </message>
    <message>
        <source>Change each sample after it was read. Random ones are drawn from seed, epoch and sample, and only in training. Choose to see a sample after each of them.</source>
        <translation>读取之后改变每个样本。随机变换由种子、轮次和样本决定，只用于训练。选择可查看样本经过每个变换后的样子。</translation>
    </message>
    <message>
        <source>Makes one batch of the samples (collate_fn): each field gets a first axis with one entry for each sample. What it returns is what the loader returns.</source>
        <translation>把样本合成一个批次（collate_fn）：每个字段的第一个轴上，每个样本占一项。它返回什么，加载器就返回什么。</translation>
    </message>
    <message>
        <source>Scales the inputs by numbers found in the training part, for all parts alike.</source>
        <translation>用训练部分得出的数值缩放输入，对所有部分都一样。</translation>
    </message>
    <message>
        <source>Mixes each image with another one of the batch, and the labels too. Training only.</source>
        <translation>把每张图像与批次中的另一张混合，标签也一样。只用于训练。</translation>
    </message>
    <message>
        <source>Page-locked memory, from which a GPU copies a batch while it computes (pin_memory).</source>
        <translation>锁页内存：GPU 可以边计算边从中复制批次（pin_memory）。</translation>
    </message>
    <message>
        <source>Where the model computes. Batches are copied there; data in memory that fits on the GPU is copied once.</source>
        <translation>模型在哪里计算。批次被复制到那里；内存中的数据若能放进 GPU，则只复制一次。</translation>
    </message>
    <message>
        <source>Gets the inputs of the batch. Choose to go to the canvas.</source>
        <translation>得到批次的输入。选择可转到画布。</translation>
    </message>
    <message>
        <source>Compares the outputs of the model with the targets of the batch. In training, its gradients change the weights.</source>
        <translation>比较模型的输出与批次的目标。训练时，它的梯度改变权重。</translation>
    </message>
    <message>
        <source>the project&apos;s code draws from seed {seed} and the epoch</source>
        <translation>由项目代码按种子 {seed} 和轮次决定</translation>
    </message>
    <message>
        <source>An epoch: {count} {count|batch|batches} of {size}</source>
        <translation>一轮：{count} 批，每批 {size} 个</translation>
    </message>
    <message>
        <source>An epoch: {count} {count|batch|batches} of {least} to {most}</source>
        <translation>一轮：{count} 批，每批 {least} 至 {most} 个</translation>
    </message>
    <message>
        <source>each reads its share of every batch</source>
        <translation>每个进程读取每批中属于自己的部分</translation>
    </message>
    <message>
        <source>Lists the numbers of the samples of each training batch (batch_sampler), in place of a sampler and a batch size. Evaluation goes through its part in order.</source>
        <translation>列出每个训练批次中各样本的编号（batch_sampler），代替采样器和批大小。评估按顺序遍历其部分。</translation>
    </message>
</context>
<context>
    <name>Playground</name>
    <message>
        <source>Opening the model…</source>
        <translation>正在打开模型…</translation>
    </message>
    <message>
        <source>No model yet</source>
        <translation>尚无模型</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>Nothing to try</source>
        <translation>没有可试用的模型</translation>
    </message>
    <message>
        <source>“{run}” was trained on other data, so the sample was not opened.</source>
        <translation>“{run}”是在其他数据上训练的，因此没有打开该样本。</translation>
    </message>
    <message>
        <source>Choose an image</source>
        <translation>选择图片</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Choose a sound</source>
        <translation>选择声音</translation>
    </message>
    <message>
        <source>Sounds</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Choose a video</source>
        <translation>选择视频</translation>
    </message>
    <message>
        <source>Videos</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Draw, drop an image, a sound or a video, or type numbers or a sentence, and see what the trained model predicts. The first checkpoint is saved after the first epoch.</source>
        <translation>绘制、拖入图片、声音或视频，或者输入数字或句子，看看训练好的模型预测什么。第一个检查点在第一轮之后保存。</translation>
    </message>
    <message>
        <source>A sample of the training data</source>
        <translation>训练数据中的一个样本</translation>
    </message>
    <message>
        <source>A text that the model continues. Its last {count} tokens are used, of a vocabulary of {known}.</source>
        <translation>模型续写的文本。使用其最后 {count} 个词元，词表大小为 {known}。</translation>
    </message>
    <message>
        <source>A number, written as in the file. Empty: missing</source>
        <translation>一个数字，写法与文件相同。留空表示缺失</translation>
    </message>
    <message>
        <source>A date, written as in the file. Empty: missing</source>
        <translation>一个日期，写法与文件相同。留空表示缺失</translation>
    </message>
    <message>
        <source>One of two values: {values}. Empty: missing</source>
        <translation>两个取值之一：{values}。留空表示缺失</translation>
    </message>
    <message>
        <source>A category: {values}. Any other is unknown to the model</source>
        <translation>一个类别：{values}。其他取值对模型来说是未知的</translation>
    </message>
    <message>
        <source>A sentence. The first {count} words are used, each encoded as its index in the vocabulary of the training data ({known} words); other words are unknown.</source>
        <translation>一句话。读入前 {count} 个词，每个词用它在训练数据词表（{known} 个词）中的编号表示；其余的词视为未知。</translation>
    </message>
    <message>
        <source>A text. Its first {count} tokens are used, of a vocabulary of {known}.</source>
        <translation>一段文本。读入前 {count} 个词元，词表有 {known} 个词元。</translation>
    </message>
    <message>
        <source>{count} numbers, in the data from {low} to {high}</source>
        <translation>{count} 个数，数据中的范围为 {low} 到 {high}</translation>
    </message>
    <message>
        <source>A number, in the data from {low} to {high}</source>
        <translation>一个数，数据中的范围为 {low} 到 {high}</translation>
    </message>
    <message>
        <source>A sentence as {count} word indices, in the data from {low} to {high}</source>
        <translation>由 {count} 个词组成的句子，每个词写作它在词表中的编号，数据中的范围是 {low} 到 {high}</translation>
    </message>
    <message>
        <source>A single sample is passed as a batch of size 1, {shapes}: unsqueeze(0)</source>
        <translation>单个样本作为大小为 1 的批送入：{shapes}，即 unsqueeze(0)</translation>
    </message>
    <message>
        <source>Not in the vocabulary, encoded as {mark}: {words}.</source>
        <translation>不在词表中，按 {mark} 读入：{words}。</translation>
    </message>
    <message>
        <source>All words are in the vocabulary.</source>
        <translation>所有词都在词表中。</translation>
    </message>
    <message>
        <source>All characters are in the vocabulary.</source>
        <translation>所有字符都在词表中。</translation>
    </message>
    <message>
        <source>Only the first {count} of {given} words are used.</source>
        <translation>共 {given} 个词，只读入前 {count} 个。</translation>
    </message>
    <message>
        <source>{given} {given|token|tokens}.</source>
        <translation>{given} 个词元。</translation>
    </message>
    <message>
        <source>Only the first {count} of {given} tokens are used.</source>
        <translation>共 {given} 个词元，只读入前 {count} 个。</translation>
    </message>
    <message>
        <source>Only the last {count} of {given} tokens are used.</source>
        <translation>只使用 {given} 个词元中的最后 {count} 个。</translation>
    </message>
    <message>
        <source>“{title}” contains no words. Type a sentence.</source>
        <translation>“{title}”中没有词。请输入一句话。</translation>
    </message>
    <message>
        <source>“{text}” in “{title}” is not a number.</source>
        <translation>“{title}”中的“{text}”不是数字。</translation>
    </message>
    <message>
        <source>“{title}” needs {count} {count|number|numbers}, not {given}.</source>
        <translation>“{title}”需要 {count} 个数，现有 {given} 个。</translation>
    </message>
    <message>
        <source>“{text}” in “{title}” is not a finite number.</source>
        <translation>“{title}”中的“{text}”不是有限的数。</translation>
    </message>
    <message>
        <source>Probability of each label</source>
        <translation>各标签的概率</translation>
    </message>
    <message>
        <source>None of the labels</source>
        <translation>没有任何标签</translation>
    </message>
    <message>
        <source>Probability of the next token</source>
        <translation>下一个词元的概率</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Area of each class</source>
        <translation>各类别的面积</translation>
    </message>
    <message>
        <source>{count} numbers from {low} to {high}</source>
        <translation>{count} 个数，从 {low} 到 {high}</translation>
    </message>
    <message>
        <source>Probability of each class</source>
        <translation>各类别的概率</translation>
    </message>
    <message>
        <source>Playground</source>
        <translation>试验场</translation>
    </message>
    <message>
        <source>Model to try</source>
        <translation>试用的模型</translation>
    </message>
    <message>
        <source>Input and prediction</source>
        <translation>输入与回答</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Predicted mask</source>
        <translation>预测的掩码</translation>
    </message>
    <message>
        <source>Video</source>
        <translation>视频</translation>
    </message>
    <message>
        <source>Type a sentence</source>
        <translation>输入一句话</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Use a sample of the training data</source>
        <translation>取一个训练数据样本</translation>
    </message>
    <message>
        <source>eval mode, no gradients</source>
        <translation>eval 模式，无梯度</translation>
    </message>
    <message>
        <source>weights of step {step}, eval mode, no gradients</source>
        <translation>第 {step} 步的权重，eval 模式，无梯度</translation>
    </message>
    <message>
        <source>Dropout is off, batch norm uses its running statistics, and torch.no_grad() builds no graph. The input is normalized as in training.</source>
        <translation>Dropout 关闭，批归一化使用学到的统计量，torch.no_grad() 不构建计算图；输入按训练时的方式归一化。</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Text input</source>
        <translation>键入的输入</translation>
    </message>
    <message>
        <source>How words are encoded</source>
        <translation>各个词的读法</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Input error</source>
        <translation>输入的问题</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Clear the pad (Delete)</source>
        <translation>清空画板（Delete）</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open a file, or drop one on the picture</source>
        <translation>打开文件，或把文件拖到图上</translation>
    </message>
    <message>
        <source>Open an image file, or drop one on the pad</source>
        <translation>从文件取一张图片；也可以直接拖到画板上</translation>
    </message>
    <message>
        <source>Invert</source>
        <translation>反色</translation>
    </message>
    <message>
        <source>Invert light and dark</source>
        <translation>明暗互换</translation>
    </message>
    <message>
        <source>Fit to frame</source>
        <translation>适应画框</translation>
    </message>
    <message>
        <source>Center and scale the drawing like the digits in MNIST</source>
        <translation>移动并缩放所画内容，与手写数字数据集的做法相同</translation>
    </message>
    <message>
        <source>Generating…</source>
        <translation>正在生成…</translation>
    </message>
    <message>
        <source>{count} {count|token|tokens}, weights of step {step}</source>
        <translation>{count} 个词元，第 {step} 步的权重</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Scores are divided by it: below 1 likely tokens become likelier, above 1 rare ones do. 0 always takes the likeliest token.</source>
        <translation>得分除以该值：小于 1 时可能的词元更可能，大于 1 时罕见的词元更可能。0 总是取最可能的词元。</translation>
    </message>
    <message>
        <source>Draw among this many of the likeliest tokens.</source>
        <translation>只在这么多个最可能的词元中抽取。</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>The same seed and settings write the same text.</source>
        <translation>种子和设置相同，生成的文本就相同。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The largest number of tokens to write</source>
        <translation>最多生成的词元数</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Stop at</source>
        <translation>停止于</translation>
    </message>
    <message>
        <source>End before this text as soon as it is written.</source>
        <translation>一旦写出这段文本，就在它之前结束。</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Continue the text on the left</source>
        <translation>续写左侧的文本</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop and keep the text written so far</source>
        <translation>停止并保留已写出的文本</translation>
    </message>
    <message>
        <source>Generation error</source>
        <translation>生成时的错误</translation>
    </message>
    <message>
        <source>Generated text</source>
        <translation>生成的文本</translation>
    </message>
    <message>
        <source>Step {done}, weights of step {step}</source>
        <translation>第 {done} 步，权重来自第 {step} 步</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples}, weights of step {step}</source>
        <translation>{count} 个样本，权重来自第 {step} 步</translation>
    </message>
    <message>
        <source>The model makes samples out of noise. Choose Generate.</source>
        <translation>该模型由噪声生成样本。请选择“生成”。</translation>
    </message>
    <message>
        <source>Energy distance to held-out data: {distance}</source>
        <translation>到未参与训练的数据的能量距离：{distance}</translation>
    </message>
    <message>
        <source>Energy distance to held-out data: {distance} (of as many training samples: {data})</source>
        <translation>到未参与训练的数据的能量距离：{distance}（同样多的训练样本：{data}）</translation>
    </message>
    <message>
        <source>held-out data</source>
        <translation>未参与训练的数据</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Samples of the model</source>
        <translation>模型生成的样本</translation>
    </message>
    <message>
        <source>How many samples to make</source>
        <translation>要生成多少个样本</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>In how many steps noise is removed. More steps are slower and finer.</source>
        <translation>分多少步去除噪声。步数越多越慢，也越精细。</translation>
    </message>
    <message>
        <source>Denoising steps</source>
        <translation>去噪步数</translation>
    </message>
    <message>
        <source>The same seed and settings make the same samples.</source>
        <translation>种子和设置相同，样本就相同。</translation>
    </message>
    <message>
        <source>Eta</source>
        <translation>Eta</translation>
    </message>
    <message>
        <source>How much noise each step adds again: 1 as in DDPM (Ho et al., 2020), 0 none, as in DDIM (Song et al., 2021).</source>
        <translation>每一步重新加入多少噪声：1 与 DDPM（Ho 等，2020）相同，0 不加，与 DDIM（Song 等，2021）相同。</translation>
    </message>
    <message>
        <source>Make samples out of noise</source>
        <translation>由噪声生成样本</translation>
    </message>
    <message>
        <source>New draw</source>
        <translation>重新抽取</translation>
    </message>
    <message>
        <source>Make other samples: with the next seed</source>
        <translation>用下一个种子生成另一批样本</translation>
    </message>
    <message>
        <source>Stop and keep the samples as they are</source>
        <translation>停止并保留当前的样本</translation>
    </message>
    <message>
        <source>How far two sets of samples are from each other as distributions (Székely and Rizzo, 2013). A good model is as near to held-out data as the training data is.</source>
        <translation>两组样本作为分布彼此相距多远（Székely 和 Rizzo，2013）。好的模型到未参与训练的数据的距离与训练数据相当。</translation>
    </message>
    <message>
        <source>Beams</source>
        <translation>束数</translation>
    </message>
    <message>
        <source>From 2 on a beam search: this many texts grow side by side, and the likeliest as a whole is shown. Nothing is drawn then.</source>
        <translation>从 2 起为束搜索：这么多段文本并行增长，显示整体最可能的一段。此时不抽取。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Texts of the beam search</source>
        <translation>束搜索的各段文本</translation>
    </message>
    <message>
        <source>The likeliest texts, each after the mean probability of its tokens (geometric).</source>
        <translation>最可能的文本，前面是其词元的平均概率（几何平均）。</translation>
    </message>
    <message>
        <source>Latent variables</source>
        <translation>隐变量</translation>
    </message>
    <message>
        <source>Drag, or use the arrow keys, to walk over the plane</source>
        <translation>拖动或用方向键在平面上移动</translation>
    </message>
    <message>
        <source>Decoded image</source>
        <translation>解码的图像</translation>
    </message>
    <message>
        <source>Walk between two samples</source>
        <translation>两个样本之间的漫步</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Draw the latent variables from the prior, N(0, 1)</source>
        <translation>从先验分布 N(0, 1) 抽取隐变量</translation>
    </message>
    <message>
        <source>A held-out sample, to begin at its latent variables</source>
        <translation>未参与训练的样本，从其隐变量开始</translation>
    </message>
    <message>
        <source>Encode</source>
        <translation>编码</translation>
    </message>
    <message>
        <source>Go to the latent variables of this sample</source>
        <translation>转到该样本的隐变量</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
    <message>
        <source>A held-out sample, to walk to</source>
        <translation>漫步终点的样本，未参与训练</translation>
    </message>
    <message>
        <source>Walk</source>
        <translation>漫步</translation>
    </message>
    <message>
        <source>Show images on the straight line between both samples</source>
        <translation>显示两个样本连线上的图像</translation>
    </message>
    <message>
        <source>Decoded from the latent variables, weights of step {step}</source>
        <translation>由隐变量解码，第 {step} 步的权重</translation>
    </message>
    <message>
        <source>The first {most} of {size} latent variables have sliders.</source>
        <translation>{size} 个隐变量中前 {most} 个有滑块。</translation>
    </message>
    <message>
        <source>row, 0 is the last one before the prediction</source>
        <translation>行，0 是预测之前的最后一行</translation>
    </message>
    <message>
        <source>{output}: {numbers}</source>
        <translation>{output}：{numbers}</translation>
    </message>
    <message>
        <source>Loss {output}: {numbers}</source>
        <translation>损失 {output}：{numbers}</translation>
    </message>
    <message>
        <source>Attention…</source>
        <translation>注意力…</translation>
    </message>
    <message>
        <source>See where each head looks in the text on the left</source>
        <translation>查看每个头在左侧文本中关注哪里</translation>
    </message>
    <message>
        <source>Name of the image</source>
        <translation>图片的名称</translation>
    </message>
    <message>
        <source>Further images</source>
        <translation>其他图片</translation>
    </message>
    <message>
        <source>File of the image</source>
        <translation>图片的文件</translation>
    </message>
    <message>
        <source>Open an image file, or drop one on the image</source>
        <translation>打开图片文件，或把图片拖到此图片上</translation>
    </message>
    <message>
        <source>each from its smallest to its largest value</source>
        <translation>每条曲线从各自的最小值到最大值</translation>
    </message>
</context>
<context>
    <name>PointMap</name>
    <message>
        <source>Points</source>
        <translation>散点</translation>
    </message>
    <message>
        <source>Classes; press Space to show or hide</source>
        <translation>类别；空格键隐藏或显示</translation>
    </message>
</context>
<context>
    <name>Predict</name>
    <message>
        <source>No run has a checkpoint yet. Train the model first.</source>
        <translation>还没有带检查点的运行。请先训练模型。</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Canceled. Nothing was written.</source>
        <translation>已取消，没有写入任何内容。</translation>
    </message>
    <message>
        <source>Predict files</source>
        <translation>预测文件</translation>
    </message>
    <message>
        <source>What to predict</source>
        <translation>预测的内容</translation>
    </message>
    <message>
        <source>Files of yours need no targets. A set of the data gets the predictions that Results measures, beside the targets.</source>
        <translation>您自己的文件不需要目标。选择数据的一个集时，会在目标旁边写出“结果”所测量的预测。</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>A folder, picture, table, text or array; drop it here</source>
        <translation>文件夹、图片、表格、文本或数组，可拖放到这里</translation>
    </message>
    <message>
        <source>Read and prepared as the data of the run is in validation: a folder of pictures, sounds, videos or texts, one such file, a table with the columns of training, a text with a sample per line, or arrays.</source>
        <translation>按该运行验证时的方式读取和准备：图片、声音、视频或文本的文件夹，单个此类文件，列与训练相同的表格，每行一个样本的文本，或数组。</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>The ending chooses the format: .csv, .parquet, .npy, .npz or .jsonl. Masks are written as pictures in a folder beside.</source>
        <translation>扩展名决定格式：.csv、.parquet、.npy、.npz 或 .jsonl。掩码作为图片写入旁边的文件夹。</translation>
    </message>
    <message>
        <source>Samples that cannot be read</source>
        <translation>无法读取的样本</translation>
    </message>
    <message>
        <source>First predictions</source>
        <translation>前几个预测</translation>
    </message>
    <message>
        <source>File…</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>Folder…</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Show file</source>
        <translation>显示文件</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Unreadable samples</source>
        <translation>无法读取的样本</translation>
    </message>
    <message>
        <source>Data to predict</source>
        <translation>要预测的数据</translation>
    </message>
    <message>
        <source>Where to save the predictions</source>
        <translation>预测结果的保存位置</translation>
    </message>
    <message>
        <source>File or folder</source>
        <translation>文件或文件夹</translation>
    </message>
    <message>
        <source>As set for the data</source>
        <translation>按数据的设置</translation>
    </message>
    <message>
        <source>Leave out and name</source>
        <translation>跳过并列出</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>JSON lines</source>
        <translation>JSON 行</translation>
    </message>
    <message>
        <source>The masks are in {folder}.</source>
        <translation>掩码位于 {folder}。</translation>
    </message>
    <message>
        <source>Left out because they cannot be read: {count}.</source>
        <translation>因无法读取而跳过：{count} 个。</translation>
    </message>
    <message>
        <source>{done} {done|sample|samples} predicted</source>
        <translation>已预测 {done} 个样本</translation>
    </message>
    <message>
        <source>{done} of {total} {total|sample|samples} predicted</source>
        <translation>已预测 {done} / {total} 个样本</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples} predicted: {file}</source>
        <translation>已预测 {count} 个样本：{file}</translation>
    </message>
    <message>
        <source>Decimal mark</source>
        <translation>小数点</translation>
    </message>
    <message>
        <source>The decimal mark of the numbers of a table. It is found for each column; choose it where a sentence below says that numbers can be read both ways.</source>
        <translation>表格中数的小数点。会按列识别；如果下方有一句话说某些数有两种读法，请在此选择。</translation>
    </message>
    <message>
        <source>Find it for each column</source>
        <translation>按列识别</translation>
    </message>
    <message>
        <source>Point (1.5)</source>
        <translation>点（1.5）</translation>
    </message>
    <message>
        <source>Comma (1,5)</source>
        <translation>逗号（1,5）</translation>
    </message>
    <message>
        <source>Looking for files: {count}</source>
        <translation>正在查找文件：{count}</translation>
    </message>
</context>
<context>
    <name>Preferences</name>
    <message>
        <source>System</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Snap to grid</source>
        <translation>对齐网格</translation>
    </message>
    <message>
        <source>Minimap</source>
        <translation>缩略图</translation>
    </message>
    <message>
        <source>The command that Code › Open in external editor runs, such as code -g {file}:{line} or xterm -e vim {file}. The file must be a separate argument and must not be passed to a shell or batch file, because folder names could be run as commands. Leave empty to use the system&apos;s default application for Python files.</source>
        <translation>“代码 › 用其他编辑器打开文件”启动的程序，例如 code -g {file}:{line} 或 xterm -e vim {file}。{file} 要单独成为一个词，并且不能交给 shell 或批处理文件读取：文件夹的名称可能是命令。留空则使用系统打开 Python 文件的程序。</translation>
    </message>
    <message>
        <source>Autosave interval</source>
        <translation>自动保存间隔</translation>
    </message>
    <message>
        <source>Unsaved work is saved beside the project at this interval and shortly after each change. After a crash, you can restore it.</source>
        <translation>未保存的工作会按此间隔以及每次修改后不久写到项目旁边；程序异常结束后会提示恢复。</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Canvas</source>
        <translation>画布</translation>
    </message>
    <message>
        <source>Custom code</source>
        <translation>自定义代码</translation>
    </message>
    <message>
        <source>Security</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>External editor</source>
        <translation>其他编辑器</translation>
    </message>
    <message>
        <source>Preferences</source>
        <translation>首选项</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Known machines…</source>
        <translation>已知机器…</translation>
    </message>
    <message>
        <source>View and remove the machines that your SSH keys can sign in to</source>
        <translation>允许用您的 SSH 密钥登录的机器；可以忘记其中一些</translation>
    </message>
</context>
<context>
    <name>Problems</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>No problems</source>
        <translation>没有问题</translation>
    </message>
    <message>
        <source>Errors: {count}</source>
        <translation>错误：{count}</translation>
    </message>
    <message>
        <source>Warnings: {count}</source>
        <translation>警告：{count}</translation>
    </message>
    <message>
        <source>Fix: {what}</source>
        <translation>修复：{what}</translation>
    </message>
    <message>
        <source>There is no automatic fix for these problems.</source>
        <translation>列出的问题没有已知的修复方法。</translation>
    </message>
</context>
<context>
    <name>ProblemsList</name>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Go to problem</source>
        <translation>转到问题</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>No problems. The model is ready to train.</source>
        <translation>没有问题，模型可以训练。</translation>
    </message>
    <message>
        <source>Checking the model…</source>
        <translation>正在检查模型…</translation>
    </message>
    <message>
        <source>The model is empty. Add an Input, some layers and an Output. Problems with them are listed here.</source>
        <translation>模型是空的。请添加输入、若干层和输出；发现的问题会列在这里。</translation>
    </message>
    <message>
        <source>Copy problem and details</source>
        <translation>复制问题及其详情</translation>
    </message>
    <message>
        <source>Fix this problem</source>
        <translation>修复此问题</translation>
    </message>
    <message>
        <source>Problem details</source>
        <translation>问题详情</translation>
    </message>
</context>
<context>
    <name>Profile</name>
    <message>
        <source>Save trace</source>
        <translation>保存跟踪</translation>
    </message>
    <message>
        <source>The trace cannot be read: {reason}</source>
        <translation>无法读取跟踪：{reason}</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Forward, ms</source>
        <translation>前向，毫秒</translation>
    </message>
    <message>
        <source>Backward, ms</source>
        <translation>反向，毫秒</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>FLOPs forward</source>
        <translation>前向 FLOPs</translation>
    </message>
    <message>
        <source>Floating point operations of a forward pass as counted by PyTorch (matrix products, convolutions and attention)</source>
        <translation>一次前向传播的浮点运算数，按 PyTorch 的计法：只计矩阵乘法、卷积和注意力</translation>
    </message>
    <message>
        <source>GFLOP/s</source>
        <translation>GFLOP/s</translation>
    </message>
    <message>
        <source>Forward operations per second</source>
        <translation>前向每秒运算次数</translation>
    </message>
    <message>
        <source>Not profiled yet. “Profile five steps” times each layer during a run.</source>
        <translation>尚未剖析。“剖析五步”会测出正在训练的运行中每一层的时间。</translation>
    </message>
    <message>
        <source>Loss and other</source>
        <translation>损失及其他</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>运算符</translation>
    </message>
    <message>
        <source>Calls</source>
        <translation>调用次数</translation>
    </message>
    <message>
        <source>Self time, ms</source>
        <translation>自身时间，毫秒</translation>
    </message>
    <message>
        <source>Total time, ms</source>
        <translation>总时间，毫秒</translation>
    </message>
    <message>
        <source>Device, ms</source>
        <translation>设备，毫秒</translation>
    </message>
    <message>
        <source>PyTorch operators are listed here.</source>
        <translation>这里列出 PyTorch 的运算符。</translation>
    </message>
    <message>
        <source>Average of the profiled steps up to step {step}: forward {forward}, backward {backward}, optimizer {optimizer}, data loading and other {between}. FLOPs: {forward_flops} forward, {backward_flops} backward.</source>
        <translation>到第 {step} 步为止，测量期间平均每步：前向 {forward}，反向 {backward}，优化器 {optimizer}，等待数据及其他 {between}。FLOPs：前向 {forward_flops}，反向 {backward_flops}。</translation>
    </message>
    <message>
        <source>Layer profile</source>
        <translation>各层的剖析</translation>
    </message>
    <message>
        <source>Profile five steps</source>
        <translation>剖析五步</translation>
    </message>
    <message>
        <source>Time five steps of the run, count the operations of another one and trace one more. These steps are slower but give the same results.</source>
        <translation>测量运行的五步，再用一步统计运算次数、一步记录跟踪；其间会变慢，但计算结果不变。</translation>
    </message>
    <message>
        <source>Save trace…</source>
        <translation>保存跟踪…</translation>
    </message>
    <message>
        <source>Save one step for chrome://tracing or Perfetto</source>
        <translation>保存一步，供 chrome://tracing 或 Perfetto 打开</translation>
    </message>
    <message>
        <source>Show the forward + backward time and the forward operations below each node</source>
        <translation>在每个节点下方：前向 + 反向时间，以及前向运算量</translation>
    </message>
    <message>
        <source>PyTorch operators</source>
        <translation>PyTorch 的运算符</translation>
    </message>
</context>
<context>
    <name>ProgressPanel</name>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>Project</name>
    <message>
        <source>Created a copy of the project in {folder}.</source>
        <translation>已在 {folder} 为您创建项目。</translation>
    </message>
    <message>
        <source>Open project folder</source>
        <translation>打开项目文件夹</translation>
    </message>
    <message>
        <source>Open project from image</source>
        <translation>从图片打开项目</translation>
    </message>
    <message>
        <source>Images with a project ({endings})</source>
        <translation>内含项目的图片 ({endings})</translation>
    </message>
    <message>
        <source>Opened {folder}</source>
        <translation>已打开 {folder}</translation>
    </message>
    <message>
        <source>Save copy: name of the new folder</source>
        <translation>保存副本：新文件夹的名称</translation>
    </message>
    <message>
        <source>Save changes to “{name}”?</source>
        <translation>要保存对“{name}”的更改吗？</translation>
    </message>
    <message>
        <source>The model or its training settings have changed since the last save.</source>
        <translation>自上次保存以来，模型或训练设置已更改。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Don&apos;t save</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save copy…</source>
        <translation>保存副本…</translation>
    </message>
    <message>
        <source>Saved {file}</source>
        <translation>已保存 {file}</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>再试一次</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>覆盖</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>There is unsaved work from {when}. The last session ended unexpectedly.</source>
        <translation>上次程序异常结束，有 {when} 的未保存工作。</translation>
    </message>
    <message>
        <source>There is unsaved work from {when}, when a session ended unexpectedly, and older work from {count} other sessions.</source>
        <translation>上次程序异常结束，有 {when} 的未保存工作；另有 {count} 份更早的。</translation>
    </message>
    <message>
        <source>You can undo restoring in one step. If you do, the work is offered again the next time you open the project. Once you save or discard your changes, it is no longer offered.</source>
        <translation>恢复是一个可撤销的步骤。撤销后，下次打开项目时会再次提示；保存后，或在询问时选择不保存，则不再提示。</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Restore unsaved work</source>
        <translation>恢复未保存的工作</translation>
    </message>
    <message>
        <source>Restored. Save to keep it, or undo to revert.</source>
        <translation>已恢复。撤销可取消恢复，保存即可保留。</translation>
    </message>
</context>
<context>
    <name>Projects</name>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>No runs in the recent projects yet.</source>
        <translation>最近的项目中还没有任何运行。</translation>
    </message>
    <message>
        <source>All projects</source>
        <translation>所有项目</translation>
    </message>
    <message>
        <source>The runs of all recent projects, including those without a window</source>
        <translation>所有最近项目的运行，包括没有窗口的</translation>
    </message>
    <message>
        <source>Runs of all projects</source>
        <translation>所有项目的运行</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open the project of this run and follow the run</source>
        <translation>打开此运行所属的项目并跟踪该运行</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the selected runs and keep everything</source>
        <translation>结束所选运行，保留全部内容</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>重新查看</translation>
    </message>
    <message>
        <source>Reload the runs of the recent projects</source>
        <translation>重新读取最近项目的运行</translation>
    </message>
</context>
<context>
    <name>Punctuation</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>{name}: {text}</source>
        <translation>{name}：{text}</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>查找范围(&amp;L)：</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>文件类型(&amp;T)：</translation>
    </message>
</context>
<context>
    <name>QFileSystemModel</name>
    <message>
        <source>&lt;b&gt;The name &quot;%1&quot; can not be used.&lt;/b&gt;&lt;p&gt;Try using another name, with fewer characters or no punctuations marks.</source>
        <translation>&lt;b&gt;不能使用名称“%1”。&lt;/b&gt;&lt;p&gt;请换一个名称：更短一些，或不含标点符号。</translation>
    </message>
</context>
<context>
    <name>Queue</name>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>cannot start: {reason}</source>
        <translation>无法开始：{reason}</translation>
    </message>
    <message>
        <source>new run</source>
        <translation>新运行</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>The queue is empty. “Add this model” adds the model and its recipe. Runs train one after another, even when this window is closed.</source>
        <translation>没有等候的运行。“添加此模型”会把模型及其训练设置放到这里：各个运行依次训练，关闭此窗口后也会继续。</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Runs that train one after another, or one per device</source>
        <translation>依次训练的运行，或按设备数量同时训练</translation>
    </message>
    <message>
        <source>Parallel runs</source>
        <translation>并行运行数</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>The number of runs that train at the same time. Automatic uses one per GPU, or one without a GPU.</source>
        <translation>同时训练多少个运行。自动：每个 GPU 一个，没有 GPU 则一个。</translation>
    </message>
    <message>
        <source>Queued runs</source>
        <translation>排队等候的运行</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Add this model</source>
        <translation>添加此模型</translation>
    </message>
    <message>
        <source>Add the model on the canvas with its recipe to the end of the queue</source>
        <translation>将画布上的模型连同其训练设置排到队尾</translation>
    </message>
    <message>
        <source>Pause or continue the queue; runs in progress are not affected</source>
        <translation>不再开始新的运行，或继续；正在训练的不受影响</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>更早训练</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>下移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>更晚训练</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Stopping {runs}. Everything up to now is kept; you can resume on the Runs page.</source>
        <translation>正在停止 {runs}。到目前为止的一切都会保留；可在“运行记录”页继续训练。</translation>
    </message>
    <message>
        <source>ended early: {reason}</source>
        <translation>提前结束：{reason}</translation>
    </message>
    <message>
        <source>{run} – {state} Select it: “Try again” starts it again, from its last checkpoint where there is one; “Remove” takes it out of the queue.</source>
        <translation>{run} – {state}选中它：“再试一次”会重新开始，有检查点时从最后一个检查点继续；“移除”把它移出队列。</translation>
    </message>
    <message>
        <source>Entries that did not finish: {count}.</source>
        <translation>未训练完的条目：{count} 个。</translation>
    </message>
    <message>
        <source>What needs attention</source>
        <translation>需要处理的事项</translation>
    </message>
    <message>
        <source>Remove from the queue; a run in progress is stopped and can be resumed</source>
        <translation>移出队列；正在训练的运行会停止，之后可以继续</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>再试一次</translation>
    </message>
    <message>
        <source>Start what ended early or could not start again, from its last checkpoint where there is one</source>
        <translation>重新开始提前结束或无法开始的条目，有检查点时从最后一个检查点继续</translation>
    </message>
</context>
<context>
    <name>Race</name>
    <message>
        <source>Race on an ill-conditioned bowl</source>
        <translation>竞赛：拉伸的碗</translation>
    </message>
    <message>
        <source>25 times steeper along y: SGD needs a learning rate below 2/25 = 0.08 and then moves slowly along x. Momentum helps, as do per-parameter learning rates.</source>
        <translation>沿 y 方向陡 25 倍：SGD 的学习率必须低于 2/25 = 0.08，于是沿 x 方向只能缓慢爬行。动量会有帮助，为每个参数单独设定学习率也会。</translation>
    </message>
    <message>
        <source>Race on Rosenbrock&apos;s valley</source>
        <translation>竞赛：Rosenbrock 山谷</translation>
    </message>
    <message>
        <source>A curved, flat valley that is easy to find but slow to follow. L-BFGS estimates its curvature.</source>
        <translation>弯曲而平坦的山谷：很快就能找到，却要很久才能走完。L-BFGS 会学到它的曲率。</translation>
    </message>
    <message>
        <source>Race on Beale&apos;s function</source>
        <translation>竞赛：Beale 函数</translation>
    </message>
    <message>
        <source>Steep walls at the corners with a plateau between them: a learning rate that is stable on the walls is slow on the plateau.</source>
        <translation>四角是陡壁，中间是平原：在陡壁上安全的学习率，在平原上就很慢。</translation>
    </message>
    <message>
        <source>Race on Himmelblau&apos;s function</source>
        <translation>竞赛：Himmelblau 函数</translation>
    </message>
    <message>
        <source>Four minima of equal depth: which one is reached depends on the optimizer and its learning rate.</source>
        <translation>四个同样深的极小值：找到哪一个取决于优化器及其学习率。</translation>
    </message>
    <message>
        <source>Race on Rastrigin&apos;s function</source>
        <translation>竞赛：Rastrigin 函数</translation>
    </message>
    <message>
        <source>Local minima everywhere: the gradient only leads to the nearest one. A higher learning rate or momentum can skip some of them.</source>
        <translation>到处是局部极小值：梯度只通向最近的一个。更大的学习率或动量可以跳过其中一些。</translation>
    </message>
    <message>
        <source>Race on a saddle point</source>
        <translation>竞赛：鞍点</translation>
    </message>
    <message>
        <source>The start is almost on the ridge, where the gradient along y is close to 0. See which optimizer escapes the saddle point first.</source>
        <translation>起点几乎在山脊上，那里沿 y 方向的梯度接近 0：看谁先离开鞍点。</translation>
    </message>
    <message>
        <source>SGD, momentum 0.9</source>
        <translation>SGD，动量 0.9</translation>
    </message>
    <message>
        <source>SGD, Nesterov 0.9</source>
        <translation>SGD，Nesterov 0.9</translation>
    </message>
</context>
<context>
    <name>Ranks</name>
    <message>
        <source>Weights sharded across {count} processes, step {step}</source>
        <translation>权重已分到 {count} 个进程，第 {step} 步</translation>
    </message>
    <message>
        <source>Weights equal in {count} processes at step {step} ({checksum})</source>
        <translation>第 {step} 步：{count} 个进程的权重相同（{checksum}）</translation>
    </message>
    <message>
        <source>Weights differ between {count} processes at step {step}</source>
        <translation>第 {step} 步：{count} 个进程的权重不同</translation>
    </message>
    <message>
        <source>rank {rank}: loss {loss}, {speed} samples/s, waits {wait} ms per step ({checksum})</source>
        <translation>rank {rank}：损失 {loss}，{speed} 样本/秒，每步等待 {wait} 毫秒（{checksum}）</translation>
    </message>
    <message>
        <source>rank {rank}: loss {loss}, {speed} samples/s, waits {wait} ms per step</source>
        <translation>rank {rank}：损失 {loss}，每秒 {speed} 个样本，每步等待 {wait} 毫秒</translation>
    </message>
    <message>
        <source>Processes of the run</source>
        <translation>该运行的各进程</translation>
    </message>
    <message>
        <source>Weight equality</source>
        <translation>权重一致性</translation>
    </message>
    <message>
        <source>Whether the weights are equal</source>
        <translation>权重是否相同</translation>
    </message>
    <message>
        <source>Each process</source>
        <translation>每个进程</translation>
    </message>
    <message>
        <source>Every 50 steps, the processes compare a checksum of their weights. The process that waits least for the others is the slowest.</source>
        <translation>每 50 步，各进程比较权重的校验和。等待其他进程最少的那个就是最慢的。</translation>
    </message>
</context>
<context>
    <name>Reading</name>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Loading PyTorch and the data…</source>
        <translation>正在加载 PyTorch 和数据…</translation>
    </message>
    <message>
        <source>Learning subwords from “{name}”: {number} of {total} characters</source>
        <translation>正在从“{name}”学习子词：{number} / {total} 个字符</translation>
    </message>
    <message>
        <source>Splitting “{name}” into subwords: {number} of {total} characters</source>
        <translation>正在将“{name}”切分为子词：{number} / {total} 个字符</translation>
    </message>
    <message>
        <source>Reading “{name}”: {number} of {total} {count|file|files}</source>
        <translation>正在读取“{name}”：{number} / {total} 个文件</translation>
    </message>
    <message>
        <source>Reading “{name}”: {number} {count|file|files}</source>
        <translation>正在读取“{name}”：{number} 个文件</translation>
    </message>
    <message>
        <source>Reading “{name}”: {number} of {total}</source>
        <translation>正在读取“{name}”：{number} / {total}</translation>
    </message>
    <message>
        <source>Reading “{name}”: {number} of {total} {count|row|rows}</source>
        <translation>正在读取“{name}”：{number} / {total} 行</translation>
    </message>
    <message>
        <source>Reading “{name}”…</source>
        <translation>正在读取“{name}”…</translation>
    </message>
    <message>
        <source>Reading “{name}”: {number} {count|row|rows}</source>
        <translation>正在读取“{name}”：{number} 行</translation>
    </message>
</context>
<context>
    <name>Recomputation</name>
    <message>
        <source>Keep activations</source>
        <translation>保留激活</translation>
    </message>
    <message>
        <source>Recompute in backward pass</source>
        <translation>反向传播时重新计算</translation>
    </message>
    <message>
        <source>Saving</source>
        <translation>节省</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重新计算</translation>
    </message>
    <message>
        <source>Estimating memory and time…</source>
        <translation>正在估计内存和运算量…</translation>
    </message>
    <message>
        <source>{names}: tensors inside are not kept for the backward pass. Only the inputs are; the forward pass is repeated when gradients are needed. The numbers of a run do not change.</source>
        <translation>{names}：内部的张量不为反向传播保留，只保留输入；需要梯度时再做一遍前向计算。运行的数值不变。</translation>
    </message>
    <message>
        <source>This saves no memory: a step needs {after} instead of {before}. Other layers keep the same tensors, or one part has to be recomputed as a whole. Mark several smaller blocks instead.</source>
        <translation>这样不节省内存：一步需要 {after}，原来是 {before}。其他层也保留着同样的张量，或者一个部分必须整体重新计算。请改为标记几个较小的块。</translation>
    </message>
    <message>
        <source>A training step needs {after} of memory instead of {before}, {saved} less, and {share} more operations.</source>
        <translation>一个训练步需要 {after} 内存，而不是 {before}，少 {saved}；运算量多 {share}。</translation>
    </message>
</context>
<context>
    <name>Remote</name>
    <message>
        <source>Choose a private key</source>
        <translation>选择私钥</translation>
    </message>
    <message>
        <source>The model is still being checked. Try again.</source>
        <translation>模型仍在检查中，请稍后再试。</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Train on another machine</source>
        <translation>在另一台机器上训练</translation>
    </message>
    <message>
        <source>The model and recipe are sent over SSH. The run trains there, and you follow it here like any other, including its curves and checkpoints. It continues even if you turn off this computer.</source>
        <translation>模型和训练设置通过 SSH 发送，运行在那台机器上训练，并像其他运行一样在这里跟踪；曲线、检查点等都会取回。本机关机后它仍会继续。</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>{run} in {project} claims to train on another machine. It was not sent there from this computer, so it may come from somebody else. If you continue, Trellis signs in there with your keys and runs the following:

Machine: {machine}
User: {user}
Python: {python}
Folder: {folder}/{place}</source>
        <translation>{project} 中的 {run} 称它在另一台机器上训练。它不是从本机发送过去的，因此可能来自他人。继续将用您的密钥登录那台机器，并运行下面所写的程序：

机器：{machine}
用户：{user}
Python：{python}
文件夹：{folder}/{place}</translation>
    </message>
    <message>
        <source>from the SSH configuration</source>
        <translation>按 SSH 配置</translation>
    </message>
    <message>
        <source>Connect to {machine}?</source>
        <translation>连接到 {machine}？</translation>
    </message>
    <message>
        <source>Connect and continue</source>
        <translation>连接并继续</translation>
    </message>
    <message>
        <source>Do not connect</source>
        <translation>不连接</translation>
    </message>
    <message>
        <source>The file of your private key, whose public key is on the machine.</source>
        <translation>您的私钥文件；对应的公钥应已放在那台机器上。</translation>
    </message>
    <message>
        <source>Remote Python</source>
        <translation>那里的 Python</translation>
    </message>
    <message>
        <source>A Python interpreter with PyTorch, such as ~/venv/bin/python</source>
        <translation>装有 PyTorch 的解释器，例如 ~/venv/bin/python</translation>
    </message>
    <message>
        <source>Remote folder</source>
        <translation>那里的文件夹</translation>
    </message>
    <message>
        <source>The folder for Trellis and the runs. It is created if necessary.</source>
        <translation>存放程序和运行的位置；会自动创建。</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>user@host:port, or a host of your SSH configuration. The host key must be known (~/.ssh/known_hosts), so connect once in a terminal first.</source>
        <translation>user@host:port，或 SSH 配置中的名称。本机必须已认识那台机器（~/.ssh/known_hosts）：请先在终端中连接一次。</translation>
    </message>
    <message>
        <source>user@host:port</source>
        <translation>用户@主机:端口</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Test connection</source>
        <translation>测试连接</translation>
    </message>
    <message>
        <source>Train there</source>
        <translation>在那里训练</translation>
    </message>
    <message>
        <source>no GPU</source>
        <translation>无 GPU</translation>
    </message>
    <message>
        <source>{machine} is ready: Python {python}, PyTorch {torch}, {gpus}, {free} GB free.</source>
        <translation>{machine} 已就绪：Python {python}，PyTorch {torch}，{gpus}，剩余 {free} GB。</translation>
    </message>
</context>
<context>
    <name>ReplaceBar</name>
    <message>
        <source>Replace with</source>
        <translation>替换为</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Replace and go to the next match</source>
        <translation>替换这一处并转到下一处</translation>
    </message>
    <message>
        <source>Replace all</source>
        <translation>全部替换</translation>
    </message>
    <message>
        <source>Replace all in this file</source>
        <translation>替换此文件中的所有位置</translation>
    </message>
</context>
<context>
    <name>Report</name>
    <message>
        <source>On the canvas</source>
        <translation>画布上</translation>
    </message>
    <message>
        <source>Show a bar and the value below each node</source>
        <translation>在每个节点下方显示条形和数值</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Save report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>Evaluating {run}…</source>
        <translation>正在评估 {run}…</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>正在写入…</translation>
    </message>
    <message>
        <source>Saved {file}</source>
        <translation>已保存 {file}</translation>
    </message>
    <message>
        <source>Canceled. Nothing was written.</source>
        <translation>已取消，没有写入任何内容。</translation>
    </message>
    <message>
        <source>A report of {runs}: model, recipe, version of the data, curves, metrics, errors and worst samples of the best checkpoint, environment and notes. As HTML it is one file that opens in any browser without a network.</source>
        <translation>{runs} 的报告：模型、训练方案、数据版本、曲线、指标、最佳检查点的误差和最差的样本、环境和备注。HTML 格式是单个文件，无需网络即可在任何浏览器中打开。</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Save report…</source>
        <translation>保存报告…</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
</context>
<context>
    <name>Results</name>
    <message>
        <source>No checkpoint yet</source>
        <translation>尚无检查点</translation>
    </message>
    <message>
        <source>Evaluate a trained model: confusion matrix, worst samples, ROC curves, residuals. Train a model first; the first checkpoint is saved after the first epoch.</source>
        <translation>此处检查训练好的模型：哪些类别被混淆、最差的样本、ROC 曲线、残差。请先训练模型；第一个检查点在第一轮结束后写入。</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>Opening the model…</source>
        <translation>正在打开模型…</translation>
    </message>
    <message>
        <source>{done} of {total} samples</source>
        <translation>{done} / {total} 个样本</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>The results so far are kept. You can continue from there.</source>
        <translation>已检查的部分会保留，可从那里继续。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>{true} predicted as {predicted}: {count}</source>
        <translation>{true} 被判为 {predicted}：{count}</translation>
    </message>
    <message>
        <source>the first {shown} of {count}</source>
        <translation>{count} 个中的前 {shown} 个</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples}</source>
        <translation>{count} 个样本</translation>
    </message>
    <message>
        <source>No matching samples.</source>
        <translation>没有这样的样本。</translation>
    </message>
    <message>
        <source>Save results</source>
        <translation>保存结果</translation>
    </message>
    <message>
        <source>Confusion matrix</source>
        <translation>混淆矩阵</translation>
    </message>
    <message>
        <source>ROC curves</source>
        <translation>ROC 曲线</translation>
    </message>
    <message>
        <source>Precision and recall</source>
        <translation>精确率与召回率</translation>
    </message>
    <message>
        <source>By class</source>
        <translation>按类别</translation>
    </message>
    <message>
        <source>Prediction vs. target</source>
        <translation>预测与目标</translation>
    </message>
    <message>
        <source>Residuals</source>
        <translation>残差</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>拟合</translation>
    </message>
    <message>
        <source>By position</source>
        <translation>按位置</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>mean F1</source>
        <translation>平均 F1</translation>
    </message>
    <message>
        <source>mean IoU</source>
        <translation>平均交并比</translation>
    </message>
    <message>
        <source>mAP at IoU 0.50</source>
        <translation>mAP（交并比 0.50）</translation>
    </message>
    <message>
        <source>mAP at IoU 0.75</source>
        <translation>mAP（交并比 0.75）</translation>
    </message>
    <message>
        <source>mAP of masks</source>
        <translation>掩码的 mAP</translation>
    </message>
    <message>
        <source>mAP of masks at IoU 0.50</source>
        <translation>掩码的 mAP（交并比 0.50）</translation>
    </message>
    <message>
        <source>mAP of masks at IoU 0.75</source>
        <translation>掩码的 mAP（交并比 0.75）</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>困惑度</translation>
    </message>
    <message>
        <source>{part}, {count} {count|sample|samples}, step {step}: {measures}</source>
        <translation>{part}，{count} 个样本，第 {step} 步：{measures}</translation>
    </message>
    <message>
        <source>True class</source>
        <translation>真实类别</translation>
    </message>
    <message>
        <source>Predicted class</source>
        <translation>预测类别</translation>
    </message>
    <message>
        <source>at the score where F1 is highest</source>
        <translation>取 F1 最高时的得分</translation>
    </message>
    <message>
        <source>Label of the class</source>
        <translation>类别标签</translation>
    </message>
    <message>
        <source>Average precision as COCO has it: the mean over overlaps (IoU) of 0.50 to 0.95</source>
        <translation>平均精度，按 COCO 的定义：对 0.50 到 0.95 的重叠度（交并比）取平均</translation>
    </message>
    <message>
        <source>Average precision where an IoU of 0.50 makes a hit</source>
        <translation>交并比 0.50 即算命中时的平均精度</translation>
    </message>
    <message>
        <source>Fraction of the found boxes that are hits</source>
        <translation>找到的边界框中命中的比例</translation>
    </message>
    <message>
        <source>Fraction of the true boxes that are hit</source>
        <translation>真实边界框中被命中的比例</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>得分</translation>
    </message>
    <message>
        <source>Score from which on boxes count where F1 is highest</source>
        <translation>F1 最高时，得分不低于此值的边界框计入</translation>
    </message>
    <message>
        <source>True boxes</source>
        <translation>真实边界框</translation>
    </message>
    <message>
        <source>#{index}, {count} {count|box|boxes}</source>
        <translation>#{index}，{count} 个边界框</translation>
    </message>
    <message>
        <source>loss {loss}</source>
        <translation>损失 {loss}</translation>
    </message>
    <message>
        <source>Pixels that predicted and true area share, over those of either</source>
        <translation>预测区域与真实区域共有的像素，除以两者合起来的像素</translation>
    </message>
    <message>
        <source>Twice the pixels that both areas share, over the sum of both (F1)</source>
        <translation>两个区域共有的像素的两倍，除以两者之和（F1）</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精确率</translation>
    </message>
    <message>
        <source>Fraction of the predicted area that is correct</source>
        <translation>预测区域中正确部分的比例</translation>
    </message>
    <message>
        <source>Fraction of the true area that was found</source>
        <translation>真实区域中被找到部分的比例</translation>
    </message>
    <message>
        <source>Pixels</source>
        <translation>像素</translation>
    </message>
    <message>
        <source>IoU {iou}</source>
        <translation>交并比 {iou}</translation>
    </message>
    <message>
        <source>Fraction of predictions for the class that are correct</source>
        <translation>被判为该类的样本中真正属于该类的比例</translation>
    </message>
    <message>
        <source>Recall</source>
        <translation>召回率</translation>
    </message>
    <message>
        <source>Fraction of samples of the class that were predicted correctly</source>
        <translation>该类的全部样本中被找到的比例</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>False positive rate</source>
        <translation>假正例率</translation>
    </message>
    <message>
        <source>True positive rate</source>
        <translation>真正例率</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>概率</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>mean over classes</source>
        <translation>各类平均</translation>
    </message>
    <message>
        <source>This split contains only one class, so there is nothing to separate.</source>
        <translation>该部分只有一个类别，没有可区分的内容。</translation>
    </message>
    <message>
        <source>Output {number}</source>
        <translation>输出 {number}</translation>
    </message>
    <message>
        <source>Prediction minus target</source>
        <translation>预测减真值</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>What to examine</source>
        <translation>检查对象</translation>
    </message>
    <message>
        <source>Charts and samples</source>
        <translation>图表与样本</translation>
    </message>
    <message>
        <source>No results yet</source>
        <translation>尚无结果</translation>
    </message>
    <message>
        <source>Data split</source>
        <translation>数据划分</translation>
    </message>
    <message>
        <source>Examine</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Predict every sample of the split with this checkpoint</source>
        <translation>用该检查点预测此部分的每个样本</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save the samples or the chart to a file</source>
        <translation>将样本或图表保存为文件</translation>
    </message>
    <message>
        <source>All samples as CSV…</source>
        <translation>全部样本存为 CSV…</translation>
    </message>
    <message>
        <source>Chart as PNG…</source>
        <translation>图表存为 PNG…</translation>
    </message>
    <message>
        <source>Chart as SVG…</source>
        <translation>图表存为 SVG…</translation>
    </message>
    <message>
        <source>Predict files…</source>
        <translation>预测文件…</translation>
    </message>
    <message>
        <source>Write predictions for a folder, table or array of yours</source>
        <translation>为您的文件夹、表格或数组写出预测结果</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Curves or points</source>
        <translation>曲线或点</translation>
    </message>
    <message>
        <source>Scores by class</source>
        <translation>各类得分</translation>
    </message>
    <message>
        <source>Order of the samples</source>
        <translation>样本顺序</translation>
    </message>
    <message>
        <source>Sort samples by their loss</source>
        <translation>按损失决定哪些样本在前</translation>
    </message>
    <message>
        <source>Samples shown</source>
        <translation>显示哪些样本</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>Show the samples of all cells</source>
        <translation>重新显示所有单元格的样本</translation>
    </message>
    <message>
        <source>Show in Samples</source>
        <translation>在样本页中显示</translation>
    </message>
    <message>
        <source>List these samples on the Samples page, alone, to look closer, relabel or exclude them. A double click, or Enter, lists one.</source>
        <translation>在样本页中只列出这些样本，以便细看、改类别或排除。双击或按回车键则只列出一个。</translation>
    </message>
    <message>
        <source>Samples as images</source>
        <translation>以图片显示样本</translation>
    </message>
    <message>
        <source>Samples as a table</source>
        <translation>以表格显示样本</translation>
    </message>
    <message>
        <source>Worst first</source>
        <translation>最差在前</translation>
    </message>
    <message>
        <source>Best first</source>
        <translation>最好在前</translation>
    </message>
    <message>
        <source>Wrong only</source>
        <translation>仅错误样本</translation>
    </message>
    <message>
        <source>Data order</source>
        <translation>数据顺序</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>The most likely token at each position, given the true tokens before it</source>
        <translation>在给定前面真实词元的情况下，每个位置上最可能的词元</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>正确</translation>
    </message>
    <message>
        <source>Fraction of the tokens that are right; padding is left out</source>
        <translation>正确词元所占的比例；不计填充</translation>
    </message>
    <message>
        <source>Fraction right</source>
        <translation>正确的比例</translation>
    </message>
    <message>
        <source>Position in the sequence</source>
        <translation>序列中的位置</translation>
    </message>
    <message>
        <source>Target: {text}</source>
        <translation>目标：{text}</translation>
    </message>
    <message>
        <source>{count} of {total} chosen samples, those in this split</source>
        <translation>所选 {total} 个样本中属于此数据集的 {count} 个</translation>
    </message>
    <message>
        <source>The chosen run was trained on other data.</source>
        <translation>所选的运行是在其他数据上训练的。</translation>
    </message>
    <message>
        <source>None of these samples is in a split of the chosen run.</source>
        <translation>这些样本都不在所选运行的任何数据集中。</translation>
    </message>
    <message>
        <source>Predicts from</source>
        <translation>预测起点</translation>
    </message>
    <message>
        <source>Predicts from row</source>
        <translation>预测起始行</translation>
    </message>
    <message>
        <source>no label</source>
        <translation>无标签</translation>
    </message>
    <message>
        <source>mean over {count} views (the sample alone: {measure})</source>
        <translation>{count} 个视图的平均（只用样本本身：{measure}）</translation>
    </message>
    <message>
        <source>accuracy {share} %</source>
        <translation>准确率 {share} %</translation>
    </message>
    <message>
        <source>By column</source>
        <translation>按列</translation>
    </message>
    <message>
        <source>All columns</source>
        <translation>所有列</translation>
    </message>
    <message>
        <source>MAE of {column} {value}</source>
        <translation>{column} 的 MAE {value}</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Mean absolute error, in the unit of the column</source>
        <translation>平均绝对误差，以该列的单位计</translation>
    </message>
    <message>
        <source>Root mean square error, in the unit of the column</source>
        <translation>均方根误差，以该列的单位计</translation>
    </message>
    <message>
        <source>1 for perfect predictions, 0 for always predicting the mean of targets</source>
        <translation>预测完全正确时为 1，始终预测目标均值时为 0</translation>
    </message>
    <message>
        <source>Mean of targets</source>
        <translation>目标均值</translation>
    </message>
    <message>
        <source>Standard deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Target: {column}</source>
        <translation>目标：{column}</translation>
    </message>
    <message>
        <source>Prediction: {column}</source>
        <translation>预测：{column}</translation>
    </message>
    <message>
        <source>Column drawn</source>
        <translation>画出的列</translation>
    </message>
    <message>
        <source>Which of the predicted numbers is drawn</source>
        <translation>画出哪一个预测的数值</translation>
    </message>
    <message>
        <source>Output examined</source>
        <translation>检查的输出</translation>
    </message>
    <message>
        <source>Which of the outputs that the loss compares with the data is examined; the loss of a sample is that of its term alone</source>
        <translation>检查损失与数据比较的哪一个输出；样本的损失只是这一项的损失</translation>
    </message>
</context>
<context>
    <name>Run</name>
    <message>
        <source>Open a project first.</source>
        <translation>请先打开项目。</translation>
    </message>
    <message>
        <source>A run is in progress. Pause or stop it first.</source>
        <translation>有运行正在进行，请先暂停或停止。</translation>
    </message>
    <message>
        <source>PyTorch is loading in the window&apos;s process. The window is slower during this run, and closing it ends the run.</source>
        <translation>正在把 PyTorch 载入窗口自己的进程。这次运行训练期间窗口会变慢，关闭窗口会结束运行。</translation>
    </message>
    <message>
        <source>another model</source>
        <translation>另一个模型</translation>
    </message>
    <message>
        <source>The run continues with the learning rate of the recipe: {rate}.</source>
        <translation>运行以训练设置中的学习率继续：{rate}。</translation>
    </message>
    <message>
        <source>The run continues with the model and settings it began with. The project has others now: {differences}. Start a new run to train with them.</source>
        <translation>运行以开始时的模型和设置继续。项目现在有不同的：{differences}。要用它们训练，请开始新的运行。</translation>
    </message>
    <message>
        <source>The run is paused within a step. Continue it in the debugger to record the next complete steps.</source>
        <translation>运行停在一步的中间。请在调试器中让它继续：之后的完整步会被查看。</translation>
    </message>
    <message>
        <source>There are no deleted runs to restore.</source>
        <translation>没有可恢复的已删除运行。</translation>
    </message>
    <message>
        <source>Training did not start. {reason}</source>
        <translation>训练没有开始。{reason}</translation>
    </message>
    <message>
        <source>“{run}” continued while the window was closed.</source>
        <translation>窗口关闭期间，“{run}”一直在运行。</translation>
    </message>
    <message>
        <source>The run has not responded for 10 seconds.</source>
        <translation>运行已有 10 秒没有响应。</translation>
    </message>
    <message>
        <source>“{run}” is paused at step {step}; nothing is lost. {reason}</source>
        <translation>“{run}”在第 {step} 步暂停，没有丢失任何内容。{reason}</translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation>选择其他文件夹…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>再试一次</translation>
    </message>
    <message>
        <source>“{run}” ended at step {step}. {reason}</source>
        <translation>“{run}”在第 {step} 步结束。{reason}</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>“{run}” has finished.</source>
        <translation>“{run}”已完成。</translation>
    </message>
    <message>
        <source>“{run}” was stopped and can be resumed.</source>
        <translation>“{run}”已停止，可以恢复。</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>not responding</source>
        <translation>无响应</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>ended unexpectedly</source>
        <translation>意外结束</translation>
    </message>
    <message>
        <source>No run yet</source>
        <translation>尚无运行</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>正在等待</translation>
    </message>
    <message>
        <source>Training starts as soon as PyTorch is loaded and the model has been checked.</source>
        <translation>PyTorch 加载完毕且模型检查通过后，训练立即开始。</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>困惑度</translation>
    </message>
    <message>
        <source>Training and validation loss appear here.</source>
        <translation>训练和验证的损失将显示在这里。</translation>
    </message>
    <message>
        <source>Metrics appear after the first epoch.</source>
        <translation>指标在第一轮结束后显示。</translation>
    </message>
    <message>
        <source>training loss of rank {rank}</source>
        <translation>rank {rank} 的训练损失</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>paused within a step (Inspect › Debugger)</source>
        <translation>停在一步之中（检视 › 调试器）</translation>
    </message>
    <message>
        <source>{device}, {threads} {threads|thread|threads}</source>
        <translation>{device}，{threads} 个线程</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>Squared errors</source>
        <translation>平方误差</translation>
    </message>
    <message>
        <source>Relative errors</source>
        <translation>相对误差</translation>
    </message>
    <message>
        <source>{part} {measure} of {name}</source>
        <translation>{name} 的{part}{measure}</translation>
    </message>
    <message>
        <source>IoU</source>
        <translation>交并比</translation>
    </message>
    <message>
        <source>{part} {measure}</source>
        <translation>{part}{measure}</translation>
    </message>
    <message>
        <source>evaluated by hand</source>
        <translation>手动评估</translation>
    </message>
    <message>
        <source>checkpoint saved by hand</source>
        <translation>手动保存的检查点</translation>
    </message>
    <message>
        <source>best checkpoint</source>
        <translation>最佳检查点</translation>
    </message>
    <message>
        <source>loading PyTorch and the data…</source>
        <translation>正在加载 PyTorch 和数据…</translation>
    </message>
    <message>
        <source>epoch {epoch} of {epochs}, step {step} of {steps}</source>
        <translation>第 {epoch}/{epochs} 轮，第 {step}/{steps} 步</translation>
    </message>
    <message>
        <source>{steps} steps/s, {samples} samples/s</source>
        <translation>{steps} 步/秒，{samples} 样本/秒</translation>
    </message>
    <message>
        <source>{elapsed}, {left} left</source>
        <translation>{elapsed}，剩余 {left}</translation>
    </message>
    <message>
        <source>Other parameters</source>
        <translation>其余参数</translation>
    </message>
    <message>
        <source>Group {number} ({names})</source>
        <translation>组 {number}（{names}）</translation>
    </message>
    <message>
        <source>Last layer</source>
        <translation>最后一层</translation>
    </message>
    <message>
        <source>{group}: {layers}</source>
        <translation>{group}：{layers}</translation>
    </message>
    <message>
        <source>Done: {what}. Start the run again.</source>
        <translation>已完成：{what}。请重新开始运行。</translation>
    </message>
    <message>
        <source>Exclude the file</source>
        <translation>排除该文件</translation>
    </message>
    <message>
        <source>Replace damaged files</source>
        <translation>代替损坏的文件</translation>
    </message>
    <message>
        <source>Folder for the checkpoints</source>
        <translation>存放检查点的文件夹</translation>
    </message>
    <message>
        <source>{done} / {all} steps</source>
        <translation>{done} / {all} 步</translation>
    </message>
    <message>
        <source>{done} / {all} min</source>
        <translation>{done} / {all} 分钟</translation>
    </message>
    <message>
        <source>epoch {epoch}, step {step}, for {minutes} min</source>
        <translation>第 {epoch} 轮，第 {step} 步，共 {minutes} 分钟</translation>
    </message>
    <message>
        <source>{name} again</source>
        <translation>再次运行 {name}</translation>
    </message>
    <message>
        <source>All layers</source>
        <translation>所有层</translation>
    </message>
    <message>
        <source>{layer}: frozen</source>
        <translation>{layer}：冻结</translation>
    </message>
    <message>
        <source>{layer}: dropout</source>
        <translation>{layer}：Dropout</translation>
    </message>
    <message>
        <source>{change} (repeated)</source>
        <translation>{change}（重复）</translation>
    </message>
    <message>
        <source>{change} (stopped early)</source>
        <translation>{change}（提前停止）</translation>
    </message>
    <message>
        <source>unfrozen: {names}</source>
        <translation>解冻：{names}</translation>
    </message>
    <message>
        <source>step left out</source>
        <translation>跳过的步</translation>
    </message>
    <message>
        <source>went back from step {step}</source>
        <translation>从第 {step} 步回退</translation>
    </message>
    <message>
        <source>training loss, {phase}</source>
        <translation>训练损失，{phase}</translation>
    </message>
    <message>
        <source>This run measures no metrics. Choose some under Metrics in the recipe; the next run measures them.</source>
        <translation>本次运行不测量指标。在训练设置的“指标”中选择，下一次运行就会测量。</translation>
    </message>
    <message>
        <source>training distance to the teacher</source>
        <translation>训练时与教师的距离</translation>
    </message>
    <message>
        <source>test (mean over views)</source>
        <translation>测试（视图平均）</translation>
    </message>
    <message>
        <source>The disk is full. The run goes on by itself as soon as there is room for {folder}.</source>
        <translation>磁盘已满。{folder} 一有空间，运行就会自动继续。</translation>
    </message>
    <message>
        <source>{measure}, {output}</source>
        <translation>{measure}（{output}）</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>val.</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>{run} stops when its step is over; one takes about {seconds} s. If you end it now, what it learned since its last checkpoint is lost.</source>
        <translation>{run} 会在当前这一步完成后停止；一步约需 {seconds} 秒。若现在就结束，自最后一个检查点以来学到的内容会丢失。</translation>
    </message>
    <message>
        <source>End it now</source>
        <translation>立即结束</translation>
    </message>
</context>
<context>
    <name>RunChoice</name>
    <message>
        <source>Run and checkpoint</source>
        <translation>运行与检查点</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
</context>
<context>
    <name>Runs</name>
    <message>
        <source>Restore deleted runs</source>
        <translation>恢复已删除的运行</translation>
    </message>
    <message>
        <source>Use the model of a run</source>
        <translation>取用运行的模型</translation>
    </message>
    <message>
        <source>This is the model of “{run}”. Undo to restore yours.</source>
        <translation>这是“{run}”的模型。撤销可恢复您的模型。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Rename run</source>
        <translation>重命名运行</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Deleted: {runs}</source>
        <translation>已删除：{runs}</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>No runs yet. F5 starts the first one.</source>
        <translation>还没有运行。按 F5 开始第一次。</translation>
    </message>
    <message>
        <source>✗ differs in step {step}</source>
        <translation>✗ 第 {step} 步不同</translation>
    </message>
    <message>
        <source>Select runs in the table to compare their curves.</source>
        <translation>在表中选择运行以比较曲线。</translation>
    </message>
    <message>
        <source>saved by hand</source>
        <translation>手动保存</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Saved at</source>
        <translation>保留原因</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>轮</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Select one run to see its checkpoints.</source>
        <translation>选择一个运行以查看其检查点。</translation>
    </message>
    <message>
        <source>These runs have the same settings.</source>
        <translation>这些运行的设置相同。</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>last</source>
        <translation>最新</translation>
    </message>
    <message>
        <source>best</source>
        <translation>最佳</translation>
    </message>
    <message>
        <source>end of an epoch</source>
        <translation>轮末</translation>
    </message>
    <message>
        <source>step interval</source>
        <translation>按步数</translation>
    </message>
    <message>
        <source>start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>value change</source>
        <translation>修改数值</translation>
    </message>
    <message>
        <source>before an error</source>
        <translation>出错之前</translation>
    </message>
    <message>
        <source>This run has no checkpoint.</source>
        <translation>此运行没有检查点。</translation>
    </message>
    <message>
        <source>Runs workspace</source>
        <translation>运行记录工作区</translation>
    </message>
    <message>
        <source>Runs pages</source>
        <translation>运行的各页</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Compare, resume and export the runs of this project</source>
        <translation>此项目的运行：比较、继续、取走</translation>
    </message>
    <message>
        <source>Checkpoints or comparison</source>
        <translation>检查点或比较</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>还没有运行</translation>
    </message>
    <message>
        <source>Each run is kept here with its curves and checkpoints.</source>
        <translation>每次训练连同曲线和检查点都保存在这里。</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>Runs and curves</source>
        <translation>运行与曲线</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Show this run in the Train workspace</source>
        <translation>在训练工作区中显示此运行</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Resume from the checkpoint selected below, or the latest one</source>
        <translation>从下方选中的检查点或最新的检查点继续</translation>
    </message>
    <message>
        <source>Use model</source>
        <translation>使用模型</translation>
    </message>
    <message>
        <source>Load the model and recipe of this run onto the canvas</source>
        <translation>把此运行的模型和训练设置放回画布</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export the weights or code of this run</source>
        <translation>导出此运行的权重或代码</translation>
    </message>
    <message>
        <source>Certify resume…</source>
        <translation>验证续训…</translation>
    </message>
    <message>
        <source>Prove that a resume of this run computes the same bits</source>
        <translation>证明恢复此运行会算出相同的每一位</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Rename this run</source>
        <translation>为此运行改名</translation>
    </message>
    <message>
        <source>Add a note and tags to this run</source>
        <translation>为此运行写备注并添加标签</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>显示文件夹</translation>
    </message>
    <message>
        <source>Show the folder of this run</source>
        <translation>显示此运行的文件夹</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete the selected runs; you can undo this</source>
        <translation>删除所选运行；可以撤销</translation>
    </message>
    <message>
        <source>Note and tags of {run}</source>
        <translation>{run} 的备注和标签</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>baseline, for the paper</source>
        <translation>基线，论文用</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Train the same model and recipe again, with each change made during this run at its step</source>
        <translation>用同样的模型和训练设置再训练一次，并在相同的步重复此运行期间的每次更改</translation>
    </message>
    <message>
        <source>✓ {steps} {steps|step|steps} certified</source>
        <translation>✓ 续训已验证 {steps} 步</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>Write a report of the selected runs as HTML or PDF</source>
        <translation>把所选运行的报告写成 HTML 或 PDF</translation>
    </message>
</context>
<context>
    <name>Samples</name>
    <message>
        <source>“{name}” could not be opened by another program.</source>
        <translation>无法用其他程序打开“{name}”。</translation>
    </message>
    <message>
        <source>Show details</source>
        <translation>查看详情</translation>
    </message>
    <message>
        <source>Copy rows</source>
        <translation>复制行</translation>
    </message>
    <message>
        <source>Samples and details</source>
        <translation>样本与详情</translation>
    </message>
    <message>
        <source>Conditions</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>Gallery</source>
        <translation>图库</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Points</source>
        <translation>散点</translation>
    </message>
    <message>
        <source>Show the samples as</source>
        <translation>样本的显示方式</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>排序依据</translation>
    </message>
    <message>
        <source>Sort by a column; missing values come last</source>
        <translation>按某一列排序；缺失值排在最后</translation>
    </message>
    <message>
        <source>Look for a text in the samples</source>
        <translation>在样本中查找文本</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>New class</source>
        <translation>新类别</translation>
    </message>
    <message>
        <source>Class of the data</source>
        <translation>数据中的类别</translation>
    </message>
    <message>
        <source>The files stay as they are. Undo takes this back.</source>
        <translation>文件保持不变。可以撤销。</translation>
    </message>
    <message>
        <source>Relabel</source>
        <translation>更改类别</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>blurred, to check, …</source>
        <translation>模糊、待检查…</translation>
    </message>
    <message>
        <source>Remove tag</source>
        <translation>移除标签</translation>
    </message>
    <message>
        <source>Add tag</source>
        <translation>添加标签</translation>
    </message>
    <message>
        <source>Show only samples in which every word stands: in a text, a path, a category (Ctrl+F)</source>
        <translation>只显示包含所有这些词的样本：在文本、路径或类别中查找（Ctrl+F）</translation>
    </message>
    <message>
        <source>Add a condition</source>
        <translation>添加条件</translation>
    </message>
    <message>
        <source>Show only samples of a class, between two numbers, with a text, …</source>
        <translation>只显示某一类别、某一数值范围或包含某段文本的样本…</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Ascending; click for descending</source>
        <translation>升序；单击改为降序</translation>
    </message>
    <message>
        <source>Descending; click for ascending</source>
        <translation>降序；单击改为升序</translation>
    </message>
    <message>
        <source>{number} s</source>
        <translation>{number} 秒</translation>
    </message>
    <message>
        <source>Label: {label}
Predicted: {prediction}</source>
        <translation>标签：{label}
预测：{prediction}</translation>
    </message>
    <message>
        <source>{name}, tokens</source>
        <translation>{name}，词元</translation>
    </message>
    <message>
        <source>Sample {number}</source>
        <translation>样本 {number}</translation>
    </message>
    <message>
        <source>An input of the model</source>
        <translation>模型的输入</translation>
    </message>
    <message>
        <source>What the model has to predict</source>
        <translation>模型要预测的目标</translation>
    </message>
    <message>
        <source>How you changed the sample; its file stays as it is</source>
        <translation>您对该样本的更改；其文件保持不变</translation>
    </message>
    <message>
        <source>What the sample alone costs the trained model; high for hard samples and wrong labels</source>
        <translation>训练好的模型在该样本上的损失；难样本和类别有误的样本较高</translation>
    </message>
    <message>
        <source>What the trained model predicts</source>
        <translation>训练好的模型的预测</translation>
    </message>
    <message>
        <source>The probability that the model gives to its prediction</source>
        <translation>模型给其预测的概率</translation>
    </message>
    <message>
        <source>Whether the prediction is the label</source>
        <translation>预测是否与真实类别一致</translation>
    </message>
    <message>
        <source>How well the predicted mask covers the true one, from 0 to 1</source>
        <translation>预测掩码与真实掩码的重合程度，从 0 到 1</translation>
    </message>
    <message>
        <source>Its values are only known when a sample is read.</source>
        <translation>读取样本时才知道它的值。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分</translation>
    </message>
    <message>
        <source>File size</source>
        <translation>文件大小</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒数</translation>
    </message>
    <message>
        <source>Sample rate</source>
        <translation>采样率</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>帧数</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>Correct</source>
        <translation>正确</translation>
    </message>
    <message>
        <source>IoU</source>
        <translation>交并比</translation>
    </message>
    <message>
        <source>Prediction: {name}</source>
        <translation>预测：{name}</translation>
    </message>
    <message>
        <source>excluded</source>
        <translation>已排除</translation>
    </message>
    <message>
        <source>relabeled</source>
        <translation>已改类别</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>已移动</translation>
    </message>
    <message>
        <source>tagged</source>
        <translation>有标签</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>All samples</source>
        <translation>全部样本</translation>
    </message>
    <message>
        <source>Order of the data</source>
        <translation>数据中的顺序</translation>
    </message>
    <message>
        <source>{count} chosen samples</source>
        <translation>{count} 个选定的样本</translation>
    </message>
    <message>
        <source>{column} is not {value}</source>
        <translation>{column} 不是 {value}</translation>
    </message>
    <message>
        <source>{column} is {value}</source>
        <translation>{column} 是 {value}</translation>
    </message>
    <message>
        <source>{column} does not contain “{text}”</source>
        <translation>{column} 不包含“{text}”</translation>
    </message>
    <message>
        <source>{column} contains “{text}”</source>
        <translation>{column} 包含“{text}”</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>已编辑</translation>
    </message>
    <message>
        <source>{column} is not missing</source>
        <translation>{column} 未缺失</translation>
    </message>
    <message>
        <source>{column} is missing</source>
        <translation>{column} 缺失</translation>
    </message>
    <message>
        <source>not {condition}</source>
        <translation>非 {condition}</translation>
    </message>
    <message>
        <source>First {count} rows; reading the whole table…</source>
        <translation>前 {count} 行；正在读取整个表格…</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples}</source>
        <translation>{count} 个样本</translation>
    </message>
    <message>
        <source>{count} of {total} samples</source>
        <translation>{total} 个样本中的 {count} 个</translation>
    </message>
    <message>
        <source>{count} selected</source>
        <translation>已选择 {count} 项</translation>
    </message>
    <message>
        <source>No sample meets the conditions</source>
        <translation>没有符合条件的样本</translation>
    </message>
    <message>
        <source>Remove a condition, or look for another text.</source>
        <translation>请移除一个条件，或查找其他文本。</translation>
    </message>
    <message>
        <source>Remove all conditions</source>
        <translation>移除所有条件</translation>
    </message>
    <message>
        <source>This split is empty</source>
        <translation>此划分为空</translation>
    </message>
    <message>
        <source>Choose another split above, or give it samples at the left.</source>
        <translation>请在上方选择其他划分，或在左侧为它分配样本。</translation>
    </message>
    <message>
        <source>Edit the selected samples</source>
        <translation>编辑所选样本</translation>
    </message>
    <message>
        <source>Exclude</source>
        <translation>排除</translation>
    </message>
    <message>
        <source>Leave the selected samples out of all sets (Ctrl+Shift+X). The files stay as they are.</source>
        <translation>将所选样本排除在所有数据集之外（Ctrl+Shift+X）。文件保持不变。</translation>
    </message>
    <message>
        <source>Include</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Bring excluded samples back (Ctrl+Shift+I)</source>
        <translation>恢复已排除的样本（Ctrl+Shift+I）</translation>
    </message>
    <message>
        <source>Relabel…</source>
        <translation>更改类别…</translation>
    </message>
    <message>
        <source>Give the selected samples another class (Ctrl+Shift+R). The files stay as they are.</source>
        <translation>为所选样本指定另一个类别（Ctrl+Shift+R）。文件保持不变。</translation>
    </message>
    <message>
        <source>Move to</source>
        <translation>移动到</translation>
    </message>
    <message>
        <source>Put the selected samples into another set. All others stay where they are.</source>
        <translation>将所选样本放入另一个数据集。其他样本保持原位。</translation>
    </message>
    <message>
        <source>Tag…</source>
        <translation>加标签…</translation>
    </message>
    <message>
        <source>Mark the selected samples with a word to find them by (Ctrl+Shift+T)</source>
        <translation>用一个词标记所选样本，便于查找（Ctrl+Shift+T）</translation>
    </message>
    <message>
        <source>Set of the split</source>
        <translation>按划分</translation>
    </message>
    <message>
        <source>Edited samples</source>
        <translation>已编辑的样本</translation>
    </message>
    <message>
        <source>Show the edited samples only</source>
        <translation>只显示已编辑的样本</translation>
    </message>
    <message>
        <source>Edits of other data</source>
        <translation>其他数据的编辑</translation>
    </message>
    <message>
        <source>Use all samples as the files have them. Undo brings the edits back.</source>
        <translation>所有样本都按文件中的内容使用。撤销可恢复这些编辑。</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部重置</translation>
    </message>
    <message>
        <source>{count} edited</source>
        <translation>{count} 个已编辑</translation>
    </message>
    <message>
        <source>{count} {count|edit|edits} of other data</source>
        <translation>{count} 处其他数据的编辑</translation>
    </message>
    <message>
        <source>Samples with several labels, and numbers, can only be corrected in the files.</source>
        <translation>有多个标签的样本和数值只能在文件中更正。</translation>
    </message>
    <message>
        <source>The samples of this data have no class.</source>
        <translation>该数据的样本没有类别。</translation>
    </message>
    <message>
        <source>Class of {count} {count|sample|samples}</source>
        <translation>{count} 个样本的类别</translation>
    </message>
    <message>
        <source>Tag {count} {count|sample|samples}</source>
        <translation>为 {count} 个样本加标签</translation>
    </message>
    <message>
        <source>A sample can have at most {count} tags.</source>
        <translation>每个样本最多可有 {count} 个标签。</translation>
    </message>
    <message>
        <source>At most {count} samples can be edited at once.</source>
        <translation>一次最多可编辑 {count} 个样本。</translation>
    </message>
    <message>
        <source>Details of the sample</source>
        <translation>样本详情</translation>
    </message>
    <message>
        <source>Close the details</source>
        <translation>关闭详情</translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation>复制路径</translation>
    </message>
    <message>
        <source>Show in the file manager</source>
        <translation>在文件管理器中显示</translation>
    </message>
    <message>
        <source>Play in the system&apos;s program</source>
        <translation>用系统的程序播放</translation>
    </message>
    <message>
        <source>Predictions of</source>
        <translation>预测来自</translation>
    </message>
    <message>
        <source>Predictions for the samples</source>
        <translation>样本的预测</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Let the trained model predict every sample: loss, prediction and confidence become columns to sort and filter by</source>
        <translation>让训练好的模型预测每个样本：损失、预测和置信度成为可排序、可筛选的列</translation>
    </message>
    <message>
        <source>State of the predictions</source>
        <translation>预测的状态</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Confusion matrix, curves and worst samples of a run</source>
        <translation>运行的混淆矩阵、曲线和最差样本</translation>
    </message>
    <message>
        <source>Opening the model…</source>
        <translation>正在打开模型…</translation>
    </message>
    <message>
        <source>Predicting: {done} of {total}</source>
        <translation>正在预测：{done} / {total}</translation>
    </message>
    <message>
        <source>No predictions: {reason}</source>
        <translation>没有预测：{reason}</translation>
    </message>
    <message>
        <source>Out of date: the run has gone on</source>
        <translation>已过时：运行又向前进行了</translation>
    </message>
    <message>
        <source>The run has saved another checkpoint since. Press Predict to use it.</source>
        <translation>此后运行又保存了新的检查点。点击“预测”以使用它。</translation>
    </message>
    <message>
        <source>Loss by the old labels</source>
        <translation>损失按原来的类别计算</translation>
    </message>
    <message>
        <source>Samples were relabeled since this run was started. Loss and correct are by the labels that it was trained on; train again to use the new ones.</source>
        <translation>此运行开始后有样本更改了类别。“损失”和“正确”按它训练时的类别计算；重新训练即可使用新的类别。</translation>
    </message>
    <message>
        <source>Trained on other data</source>
        <translation>在其他数据上训练</translation>
    </message>
    <message>
        <source>This run was trained on other samples than those that are shown.</source>
        <translation>此运行的训练样本与所显示的样本不同。</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples}, predicted when you ask</source>
        <translation>{count} 个样本，点击后才预测</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>What is predicted so far is kept. Press Predict to go on from there.</source>
        <translation>已完成的预测会保留。点击“预测”可从该处继续。</translation>
    </message>
    <message>
        <source>The run is going on</source>
        <translation>运行正在进行</translation>
    </message>
    <message>
        <source>The samples are predicted by themselves when the run ends. Press Predict to use its checkpoint of now.</source>
        <translation>运行结束后会自动预测样本。点击“预测”可使用它当前的检查点。</translation>
    </message>
    <message>
        <source>Count pixels</source>
        <translation>统计像素</translation>
    </message>
    <message>
        <source>Count the pixels of each class in each split. Every mask is read once; the numbers are kept.</source>
        <translation>统计每个部分中各类别的像素。每张掩码读取一次，结果会保存。</translation>
    </message>
    <message>
        <source>Counting pixels: {done} of {count} masks</source>
        <translation>正在统计像素：{done} / {count} 张掩码</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高度</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Samples and text</source>
        <translation>样本与文本</translation>
    </message>
    <message>
        <source>{count} {count|token|tokens} with numbers</source>
        <translation>{count} 个词元及其编号</translation>
    </message>
    <message>
        <source>{count} unknown</source>
        <translation>{count} 个未知</translation>
    </message>
    <message>
        <source>{count} more not read</source>
        <translation>另有 {count} 个未读入</translation>
    </message>
    <message>
        <source>Text of the sample</source>
        <translation>样本的文本</translation>
    </message>
    <message>
        <source>The step from which on every prediction of the training was right; “never” if the last one was wrong. Training samples only. High for hard samples and wrong labels.</source>
        <translation>从这一步起，训练中的每次预测都正确；最后一次预测错误时为“从未”。只有训练样本有值。困难的样本和错误的标签数值较高。</translation>
    </message>
    <message>
        <source>Learned</source>
        <translation>学会步</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从未</translation>
    </message>
    <message>
        <source>How much the loss of the sample counts</source>
        <translation>该样本的损失算多少</translation>
    </message>
    <message>
        <source>Splits of this run</source>
        <translation>本次运行的划分</translation>
    </message>
    <message>
        <source>Each sample is in the split that this run has it in; what came later is “not in this run”. Without the check mark: in the split that the next run gives it</source>
        <translation>每个样本显示在本次运行所用的集合中；之后新增的样本为“不在本次运行中”。不勾选时：显示下一次运行所用的集合</translation>
    </message>
    <message>
        <source>{count} {count|sample|samples} left out: {reason}</source>
        <translation>{count} 个样本未预测：{reason}</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Of which of the outputs that the loss compares with the data the columns are; the loss is that of this output alone</source>
        <translation>这些列属于与数据比较的哪一个输出；损失只是该输出的损失</translation>
    </message>
</context>
<context>
    <name>ScaleBar</name>
    <message>
        <source>Black is {low}, white is {high}</source>
        <translation>黑色为 {low}，白色为 {high}</translation>
    </message>
</context>
<context>
    <name>ScatterView</name>
    <message>
        <source>Points by class</source>
        <translation>按类别着色的点</translation>
    </message>
    <message>
        <source>Classes; press Space to show or hide</source>
        <translation>类别；空格键隐藏或显示</translation>
    </message>
</context>
<context>
    <name>Search</name>
    <message>
        <source>The model on the canvas and its recipe, with these variations.</source>
        <translation>画布上的模型及其训练设置，按此处所列变化。</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>ended unexpectedly</source>
        <translation>意外结束</translation>
    </message>
    <message>
        <source>pruned</source>
        <translation>已剪枝</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>Add settings to search over.</source>
        <translation>请添加要尝试不同取值的设置。</translation>
    </message>
    <message>
        <source>{ended} of {total} {total|trial|trials}</source>
        <translation>{total} 次试验中的 {ended} 次</translation>
    </message>
    <message>
        <source>best {measure} {value} (trial {number})</source>
        <translation>最佳{measure} {value}（试验 {number}）</translation>
    </message>
    <message>
        <source>Choose a search space, then start. Each trial is a separate run.</source>
        <translation>选择要尝试的设置，然后开始：每次试验都是一个独立的运行。</translation>
    </message>
    <message>
        <source>Trial</source>
        <translation>试验</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>The first trial starts as soon as PyTorch is loaded.</source>
        <translation>PyTorch 加载完成后，第一次试验即开始。</translation>
    </message>
    <message>
        <source>Importance in %</source>
        <translation>重要性（%）</translation>
    </message>
    <message>
        <source>The importance of settings appears after four finished trials.</source>
        <translation>完成四次试验后，这里会显示哪些设置重要。</translation>
    </message>
    <message>
        <source>Settings and results</source>
        <translation>设置与结果</translation>
    </message>
    <message>
        <source>A line appears for each trial after its first epoch.</source>
        <translation>每次试验完成第一轮后会出现一条线。</translation>
    </message>
    <message>
        <source>Trial {number}</source>
        <translation>试验 {number}</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Try different settings and find the best ones</source>
        <translation>尝试其他设置，找出最好的</translation>
    </message>
    <message>
        <source>Search progress</source>
        <translation>搜索的进度</translation>
    </message>
    <message>
        <source>Trials</source>
        <translation>试验次数</translation>
    </message>
    <message>
        <source>New search</source>
        <translation>新搜索</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Search space</source>
        <translation>搜索空间</translation>
    </message>
    <message>
        <source>Press Delete to remove the selected settings</source>
        <translation>按 Delete 键移除所选设置</translation>
    </message>
    <message>
        <source>Add setting</source>
        <translation>添加设置</translation>
    </message>
    <message>
        <source>Setting to try</source>
        <translation>要尝试的设置</translation>
    </message>
    <message>
        <source>Values to try</source>
        <translation>要尝试的取值</translation>
    </message>
    <message>
        <source>1e-4..1e-1:log – a range on a logarithmic scale
8..64:8 – a range in steps of 8
Adam, SGD, RMSprop – one of these values</source>
        <translation>1e-4..1e-1:log – 两数之间，按比例均匀
8..64:8 – 两数之间，步长为 8
Adam, SGD, RMSprop – 其中之一</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Try these values for this setting</source>
        <translation>尝试此设置的这些取值</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>The number of runs. Increase it to continue a finished search with what it has learned.</source>
        <translation>运行的次数。已结束的搜索改为更大的数即可继续：已学到的内容会保留。</translation>
    </message>
    <message>
        <source>Stop poor trials early</source>
        <translation>提前停止较差的试验</translation>
    </message>
    <message>
        <source>Median pruning: stop a trial that is worse than the median of previous trials at the same epoch</source>
        <translation>中位数剪枝：某次试验在同一轮次差于以往试验的中位数时即结束</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>方向</translation>
    </message>
    <message>
        <source>minimize</source>
        <translation>最小化</translation>
    </message>
    <message>
        <source>maximize</source>
        <translation>最大化</translation>
    </message>
    <message>
        <source>Parallel runs</source>
        <translation>并行运行数</translation>
    </message>
    <message>
        <source>The number of trials that train at the same time</source>
        <translation>同时训练多少次试验</translation>
    </message>
    <message>
        <source>Settings and trials</source>
        <translation>设置与试验</translation>
    </message>
    <message>
        <source>TPE (learns from previous trials)</source>
        <translation>TPE（从以往试验中学习）</translation>
    </message>
    <message>
        <source>Tree-structured Parzen estimator: samples more values where results were good</source>
        <translation>树结构 Parzen 估计器：在效果好的地方多作尝试</translation>
    </message>
    <message>
        <source>Random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>Samples every value uniformly at random</source>
        <translation>随机抽取每个值，机会均等</translation>
    </message>
    <message>
        <source>Grid (every combination)</source>
        <translation>网格（所有组合）</translation>
    </message>
    <message>
        <source>Three values for a range without steps, and every listed value</source>
        <translation>无步长的范围取三个值，列出的值全部取到</translation>
    </message>
    <message>
        <source>Start search</source>
        <translation>开始搜索</translation>
    </message>
    <message>
        <source>Train the model on the canvas with different settings in each trial</source>
        <translation>每次用不同的设置训练画布上的模型</translation>
    </message>
    <message>
        <source>Pause or continue the trials, also after a stop or a crash</source>
        <translation>让试验等待或继续；停止或崩溃之后也可继续</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the search and keep everything; you can continue it later</source>
        <translation>结束搜索并保留全部内容；以后可以继续</translation>
    </message>
    <message>
        <source>Show run</source>
        <translation>显示运行</translation>
    </message>
    <message>
        <source>Show the run of the selected trial in the Train workspace</source>
        <translation>在训练工作区中显示所选试验的运行</translation>
    </message>
    <message>
        <source>Use settings</source>
        <translation>使用设置</translation>
    </message>
    <message>
        <source>Load the model and recipe of the selected trial</source>
        <translation>将所选试验的模型和训练设置放到画布上</translation>
    </message>
</context>
<context>
    <name>Serve</name>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>No run has a checkpoint yet. Train the model first.</source>
        <translation>还没有带检查点的运行。请先训练模型。</translation>
    </message>
    <message>
        <source>Answers predictions over HTTP on this machine, with a page to try the model in a browser. It ends with this dialog.</source>
        <translation>在本机通过 HTTP 应答预测请求，并附有可在浏览器中试用模型的网页。关闭此对话框即结束。</translation>
    </message>
    <message>
        <source>Serve model</source>
        <translation>提供模型服务</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>The address stands here once the service runs.</source>
        <translation>服务运行后，这里显示地址。</translation>
    </message>
    <message>
        <source>Open in browser</source>
        <translation>在浏览器中打开</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Starting the service…</source>
        <translation>正在启动服务……</translation>
    </message>
    <message>
        <source>Running. {requests} requests, {failed} of them refused.</source>
        <translation>正在运行。{requests} 个请求，其中 {failed} 个被拒绝。</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Milliseconds</source>
        <translation>毫秒</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>Requests are listed here.</source>
        <translation>请求会列在这里。</translation>
    </message>
</context>
<context>
    <name>SeveralEditor</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
</context>
<context>
    <name>Snippet</name>
    <message>
        <source>Function (operator)</source>
        <translation>函数（运算符）</translation>
    </message>
    <message>
        <source>Layer without weights</source>
        <translation>无权重的层</translation>
    </message>
    <message>
        <source>Layer with weights</source>
        <translation>有权重的层</translation>
    </message>
    <message>
        <source>Function with its own gradient</source>
        <translation>自带梯度的函数</translation>
    </message>
    <message>
        <source>Shape assertion</source>
        <translation>形状断言</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Loss for masks (Dice)</source>
        <translation>用于掩码的损失（Dice）</translation>
    </message>
    <message>
        <source>Metric (torchmetrics)</source>
        <translation>指标（torchmetrics）</translation>
    </message>
    <message>
        <source>Initialiser</source>
        <translation>初始化函数</translation>
    </message>
    <message>
        <source>Data set</source>
        <translation>数据集</translation>
    </message>
    <message>
        <source>Data set with collate_fn and Sampler</source>
        <translation>带 collate_fn 和 Sampler 的数据集</translation>
    </message>
    <message>
        <source>Data stream (IterableDataset)</source>
        <translation>数据流（IterableDataset）</translation>
    </message>
    <message>
        <source>Empty file</source>
        <translation>空文件</translation>
    </message>
</context>
<context>
    <name>Speed</name>
    <message>
        <source>Loading PyTorch and the data…</source>
        <translation>正在加载 PyTorch 和数据…</translation>
    </message>
    <message>
        <source>Canceled. The results so far are shown.</source>
        <translation>已放弃。显示的是此前的测量结果。</translation>
    </message>
    <message>
        <source>Apply faster settings</source>
        <translation>采用更快的设置</translation>
    </message>
    <message>
        <source>Suggest faster settings</source>
        <translation>建议更快的设置</translation>
    </message>
    <message>
        <source>Runs a few steps of this model with and without each setting on the device of the run, and suggests those that are faster. A run in progress makes the timings unreliable.</source>
        <translation>在运行所用的设备上，用这个模型分别在打开和不打开每个设置时走几步，保留使其更快的设置。如果同时有运行在进行，测得的时间不可靠。</translation>
    </message>
    <message>
        <source>Also try torch.compile (takes minutes)</source>
        <translation>同时尝试 torch.compile（需要几分钟）</translation>
    </message>
    <message>
        <source>Generates and compiles code for this model, which takes seconds on a GPU and minutes on a slow CPU. Requires a C++ compiler.</source>
        <translation>为这个模型生成并编译代码：在 GPU 上需要几秒，在小处理器上需要几分钟。需要 C++ 编译器。</translation>
    </message>
    <message>
        <source>Measurements</source>
        <translation>测量结果</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>之前每步</translation>
    </message>
    <message>
        <source>Step with it</source>
        <translation>打开后每步</translation>
    </message>
    <message>
        <source>Faster</source>
        <translation>加速</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Measure now</source>
        <translation>开始测量</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Measuring {number} of {count}: {setting}…</source>
        <translation>正在测量第 {number} 项，共 {count} 项：{setting}…</translation>
    </message>
    <message>
        <source>The selected settings make steps at least 5% faster. Choose Apply to use them.</source>
        <translation>勾选的设置使每步至少快 5 %。点“应用”即可采用。</translation>
    </message>
    <message>
        <source>None of the settings makes this run faster on this machine.</source>
        <translation>试过的设置都不能使这个运行在本机上更快。</translation>
    </message>
    <message>
        <source>same results</source>
        <translation>数值相同</translation>
    </message>
    <message>
        <source>initial loss differs by {share}%</source>
        <translation>首个损失相差 {share} %</translation>
    </message>
</context>
<context>
    <name>Statistics</name>
    <message>
        <source>What is shown</source>
        <translation>所显示的内容</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Read the samples of each split and compute mean, deviation and ends of their numbers, as the model gets them before they are normalized</source>
        <translation>读取各数据集的样本，计算其数值（归一化之前、模型得到的）的平均值、标准差和两端</translation>
    </message>
    <message>
        <source>Columns of each split</source>
        <translation>各数据集的列</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>The text whose vocabulary is shown</source>
        <translation>显示其词表的文本</translation>
    </message>
    <message>
        <source>Look for a token</source>
        <translation>查找词元</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Show only tokens in which this stands</source>
        <translation>只显示包含这段文字的词元</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Unknown tokens</source>
        <translation>未知词元</translation>
    </message>
    <message>
        <source>Tokens of the vocabulary</source>
        <translation>词表中的词元</translation>
    </message>
    <message>
        <source>Reading: {done} of {count} samples</source>
        <translation>正在读取：{done} / {count} 个样本</translation>
    </message>
    <message>
        <source>not used: {text}</source>
        <translation>未使用：{text}</translation>
    </message>
    <message>
        <source>Not measured yet. Measure reads each sample once.</source>
        <translation>尚未测量。“测量”会把每个样本读取一次。</translation>
    </message>
    <message>
        <source>The fields of these samples have no mean.</source>
        <translation>这些样本的字段没有平均值。</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>划分</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均值</translation>
    </message>
    <message>
        <source>Deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Standard deviation of all values, without correction</source>
        <translation>所有值的标准差，不作修正</translation>
    </message>
    <message>
        <source>Lowest</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>Highest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>Samples whose row lacks a value. The figures are of the others, not of what is filled in.</source>
        <translation>该行缺少值的样本数。统计数字只计其他样本，不计填补的值。</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Samples that were read: of very many large ones some</source>
        <translation>读取的样本数；样本很多且很大时只取一部分</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Share of the samples, or boxes, of the split</source>
        <translation>占该数据集样本（或边界框）的比例</translation>
    </message>
    <message>
        <source>class {name}</source>
        <translation>类别 {name}</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>正在统计…</translation>
    </message>
    <message>
        <source>These samples have no text with a vocabulary: no tokens are read.</source>
        <translation>这些样本没有带词表的文本，不读入词元。</translation>
    </message>
    <message>
        <source>Number</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>How often the model reads it in an epoch of training</source>
        <translation>模型在一轮训练中读到它的次数</translation>
    </message>
    <message>
        <source>No token contains this.</source>
        <translation>没有词元包含这段文字。</translation>
    </message>
    <message>
        <source>the first {shown} of {found} tokens; {size} altogether</source>
        <translation>{found} 个词元中的前 {shown} 个；共 {size} 个</translation>
    </message>
    <message>
        <source>{found} of {size} tokens</source>
        <translation>{size} 个词元中的 {found} 个</translation>
    </message>
    <message>
        <source>{count} {count|token|tokens}</source>
        <translation>{count} 个词元</translation>
    </message>
    <message>
        <source>{split}: {unknown} of {tokens} tokens unknown ({share})</source>
        <translation>{split}：{tokens} 个词元中有 {unknown} 个未知（{share}）</translation>
    </message>
    <message>
        <source>in {read} of {samples} samples</source>
        <translation>（在 {samples} 个样本中统计了 {read} 个）</translation>
    </message>
    <message>
        <source>{count} d</source>
        <translation>{count} 天</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>Memory for parameters, gradients and {states} {optimizer} values per parameter. Activations need additional memory that grows with the batch.</source>
        <translation>参数、梯度以及 {optimizer} 每个参数 {states} 个状态值所需的内存；激活值另计，并随批大小增长。</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>monitoring {share}</source>
        <translation>监测 {share}</translation>
    </message>
    <message>
        <source>Monitoring takes {share} of the time</source>
        <translation>监测占用 {share} 的时间</translation>
    </message>
    <message>
        <source>recorded less often to stay within the limit</source>
        <translation>为不超过上限已减少统计次数</translation>
    </message>
    <message>
        <source>{count} {count|parameter|parameters}</source>
        <translation>{count} 个参数</translation>
    </message>
    <message>
        <source>{trained} of {count} parameters trainable</source>
        <translation>训练 {trained} / {count} 个参数</translation>
    </message>
    <message>
        <source>Loading PyTorch…</source>
        <translation>正在加载 PyTorch…</translation>
    </message>
    <message>
        <source>PyTorch is loading in the background. You can already build your model.</source>
        <translation>PyTorch 正在后台加载；现在就可以绘制模型。</translation>
    </message>
    <message>
        <source>PyTorch {version}, {threads} {threads|thread|threads}, {memory} memory</source>
        <translation>PyTorch {version}，{threads} 个线程，{memory} 内存</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Show problems</source>
        <translation>显示问题列表</translation>
    </message>
    <message>
        <source>Code restricted</source>
        <translation>代码受限</translation>
    </message>
    <message>
        <source>Restricted</source>
        <translation>受限</translation>
    </message>
    <message>
        <source>The custom code of this project does not run. Click to review and trust it.</source>
        <translation>此项目的代码不会运行。点击可进行选择。</translation>
    </message>
    <message>
        <source>Current run</source>
        <translation>当前运行</translation>
    </message>
    <message>
        <source>Show run</source>
        <translation>显示运行</translation>
    </message>
    <message>
        <source>Run progress</source>
        <translation>运行进度</translation>
    </message>
    <message>
        <source>Monitoring overhead</source>
        <translation>监测开销</translation>
    </message>
    <message>
        <source>Memory estimate</source>
        <translation>内存估计</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
</context>
<context>
    <name>Studio</name>
    <message>
        <source>Trellis crashed twice within a minute, so it started in safe mode, without the last layout and project.</source>
        <translation>程序在一分钟内两次异常结束，现以安全模式启动：不恢复上次的布局和项目。</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation>打开 {name}</translation>
    </message>
    <message>
        <source>Trellis crashed in the last session. A crash report is available.</source>
        <translation>上次程序崩溃，已生成报告。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>The settings could not be read, so the defaults are used. The damaged file is kept beside them.</source>
        <translation>无法读取设置：程序以默认设置启动。损坏的文件保留在同一位置。</translation>
    </message>
    <message>
        <source>Settings cannot be saved. {reason}</source>
        <translation>设置不会保留到下次。{reason}</translation>
    </message>
    <message>
        <source>An internal error occurred. Your work is not affected. {error}</source>
        <translation>程序内部出错；您的工作保持原样。{error}</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
</context>
<context>
    <name>Surface</name>
    <message>
        <source>Reading the data…</source>
        <translation>正在读取数据…</translation>
    </message>
    <message>
        <source>No surface yet</source>
        <translation>尚无决策面</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>No plane to draw</source>
        <translation>没有可绘制的平面</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>Step {step}</source>
        <translation>第 {step} 步</translation>
    </message>
    <message>
        <source>Step {step}: from {low} (blue) to {high} (red)</source>
        <translation>第 {step} 步：从 {low}（蓝）到 {high}（红）</translation>
    </message>
    <message>
        <source>Decision surface</source>
        <translation>决策面</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Update the surface during training</source>
        <translation>模型学习时不断重绘决策面</translation>
    </message>
    <message>
        <source>Recorded step</source>
        <translation>记录的步</translation>
    </message>
    <message>
        <source>Show the model at an earlier step</source>
        <translation>回看模型在较早步时的样子</translation>
    </message>
    <message>
        <source>Step shown</source>
        <translation>显示的步</translation>
    </message>
    <message>
        <source>The background shows the model&apos;s prediction all over a plane through its inputs and how it changes during training: over two columns of a table or of points, or through three images, sounds, series or texts.</source>
        <translation>背景显示模型在输入空间某个平面上各处的预测，以及它在训练中的变化：平面由表格或点的两列张成，或经过三个图像、声音、序列或文本样本。</translation>
    </message>
    <message>
        <source>Drawing the surface…</source>
        <translation>正在绘制决策面…</translation>
    </message>
    <message>
        <source>It appears once the model has been evaluated over the plane. A run that is over needs a checkpoint for it.</source>
        <translation>模型在整个平面上求值后即会显示。已结束的运行需要有检查点。</translation>
    </message>
    <message>
        <source>Output {number}</source>
        <translation>输出 {number}</translation>
    </message>
    <message>
        <source>All other inputs are those of sample {number} (ring). The points are training samples by these two columns; their other inputs differ.</source>
        <translation>其他输入均取自样本 {number}（圆环）。各点是训练样本在这两列上的位置，它们的其他输入各不相同。</translation>
    </message>
    <message>
        <source>A, B and C are samples; in between are mixtures of them.</source>
        <translation>A、B、C 是样本，其间是它们的混合。</translation>
    </message>
    <message>
        <source>A, B and C are samples; in between are mixtures of the vectors that the Embedding layer has for their tokens.</source>
        <translation>A、B、C 是样本，其间是 Embedding 层为其词元给出的向量的混合。</translation>
    </message>
    <message>
        <source>Held as in A: {names}.</source>
        <translation>保持与 A 相同：{names}。</translation>
    </message>
    <message>
        <source>What the surface shows</source>
        <translation>决策面显示的内容</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Surface and samples</source>
        <translation>决策面与样本</translation>
    </message>
    <message>
        <source>Samples of the plane</source>
        <translation>平面上的样本</translation>
    </message>
    <message>
        <source>Values of the samples</source>
        <translation>样本的值</translation>
    </message>
    <message>
        <source>Plane of the surface</source>
        <translation>决策面的平面</translation>
    </message>
    <message>
        <source>Two columns</source>
        <translation>两列</translation>
    </message>
    <message>
        <source>Three samples</source>
        <translation>三个样本</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Next sample</source>
        <translation>下一个样本</translation>
    </message>
    <message>
        <source>Hold the other inputs at those of the next sample</source>
        <translation>其他输入取自下一个样本</translation>
    </message>
    <message>
        <source>Another three</source>
        <translation>换三个样本</translation>
    </message>
    <message>
        <source>Draw three other samples, of different classes</source>
        <translation>抽取另外三个不同类别的样本</translation>
    </message>
    <message>
        <source>Plane</source>
        <translation>平面</translation>
    </message>
    <message>
        <source>What the plane is laid through: columns of numbers or samples</source>
        <translation>平面由什么确定：数值列或样本</translation>
    </message>
    <message>
        <source>Column across</source>
        <translation>横轴列</translation>
    </message>
    <message>
        <source>Column upward</source>
        <translation>纵轴列</translation>
    </message>
    <message>
        <source>Output shown</source>
        <translation>显示的输出</translation>
    </message>
    <message>
        <source>Number of sample {letter}</source>
        <translation>样本 {letter} 的编号</translation>
    </message>
    <message>
        <source>Number of a sample, as on the Samples page</source>
        <translation>样本编号，与“样本”页面一致</translation>
    </message>
    <message>
        <source>Distance from A toward B</source>
        <translation>从 A 到 B 方向的距离</translation>
    </message>
    <message>
        <source>Distance at a right angle, toward C</source>
        <translation>垂直方向上朝 C 的距离</translation>
    </message>
    <message>
        <source>Sample {number}</source>
        <translation>样本 {number}</translation>
    </message>
    <message>
        <source>Step {step}: “{label}” from no (blue) to yes (red)</source>
        <translation>第 {step} 步：“{label}”从否（蓝）到是（红）</translation>
    </message>
    <message>
        <source>Predicts from {time}</source>
        <translation>从 {time} 起预测</translation>
    </message>
    <message>
        <source>Predicts from row {time}</source>
        <translation>从第 {time} 行起预测</translation>
    </message>
    <message>
        <source>Output of the model</source>
        <translation>模型的输出</translation>
    </message>
    <message>
        <source>Which of the outputs that the loss compares with the data answers on the plane</source>
        <translation>平面上由与数据比较的哪一个输出作答</translation>
    </message>
</context>
<context>
    <name>TableView</name>
    <message>
        <source>No rows contain “{text}”.</source>
        <translation>没有包含“{text}”的行。</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter the rows</source>
        <translation>筛选行</translation>
    </message>
    <message>
        <source>Choose columns</source>
        <translation>选择列</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
</context>
<context>
    <name>Tensors</name>
    <message>
        <source>Opening the checkpoint…</source>
        <translation>正在打开检查点…</translation>
    </message>
    <message>
        <source>View any tensor during a run: weights, gradients, optimizer state, activations and the batch. After a run, you can view the tensors in its checkpoints.</source>
        <translation>运行训练时，可以在此查看它的任何张量：权重、梯度、优化器状态、各层的输出以及批次；运行结束后，可以查看其检查点保存的内容。</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>No tensors yet</source>
        <translation>还没有张量</translation>
    </message>
    <message>
        <source>The checkpoint cannot be opened</source>
        <translation>无法打开检查点</translation>
    </message>
    <message>
        <source>This is too large for the clipboard. Select a part with a slice, or save it to a file.</source>
        <translation>内容太多，无法放入剪贴板：请用切片选出一部分，或保存为文件。</translation>
    </message>
    <message>
        <source>Copied as NumPy text</source>
        <translation>已复制为 NumPy 文本</translation>
    </message>
    <message>
        <source>{file}: cannot be read</source>
        <translation>{file}：无法读取</translation>
    </message>
    <message>
        <source>NumPy array (*.npy)</source>
        <translation>NumPy 数组 (*.npy)</translation>
    </message>
    <message>
        <source>PyTorch tensor (*.pt)</source>
        <translation>PyTorch 张量 (*.pt)</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Save the tensor</source>
        <translation>保存张量</translation>
    </message>
    <message>
        <source>Step {step}: {kind} {name}</source>
        <translation>第 {step} 步：{kind} {name}</translation>
    </message>
    <message>
        <source>Parameter</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Buffer</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>Optimizer state</source>
        <translation>优化器状态</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Activation gradient</source>
        <translation>激活的梯度</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Attention weights</source>
        <translation>注意力权重</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>“{text}” is not a valid index. Use numbers, start:stop:step or …: [0, :, 3]</source>
        <translation>“{text}”不是索引。请写数字、start:stop:step 或 ...，例如 [0, :, 3]</translation>
    </message>
    <message>
        <source>The step of a slice cannot be 0.</source>
        <translation>切片的步长不能为 0。</translation>
    </message>
    <message>
        <source>The slice does not match the shape {shape}.</source>
        <translation>该切片与形状 {shape} 不符。</translation>
    </message>
    <message>
        <source>first part of a large tensor</source>
        <translation>大张量的前一部分</translation>
    </message>
    <message>
        <source>Attribute</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>finite elements</source>
        <translation>有限的元素</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>min</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>fraction of zeros</source>
        <translation>零的比例</translation>
    </message>
    <message>
        <source>NaN or infinite</source>
        <translation>NaN 或无穷</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>{count} {count|element|elements} from {low} to {high}</source>
        <translation>{count} 个元素，从 {low} 到 {high}</translation>
    </message>
    <message>
        <source>No elements</source>
        <translation>没有元素</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Display</source>
        <translation>显示内容</translation>
    </message>
    <message>
        <source>Tensors and elements</source>
        <translation>张量与元素</translation>
    </message>
    <message>
        <source>Tensors of the run</source>
        <translation>运行的张量</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>检视</translation>
    </message>
    <message>
        <source>Read the selected tensor from the run (double-click), immediately or in the next step. After the run, it is read from the checkpoint.</source>
        <translation>从运行中取出所选张量（双击）：立即取出；只在训练步中才产生的张量，则在下一步取出。已结束的运行则从其检查点中取出。</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Refresh the tensor every two seconds</source>
        <translation>每两秒重新取出该张量</translation>
    </message>
    <message>
        <source>Previous tensors</source>
        <translation>之前取出的张量</translation>
    </message>
    <message>
        <source>Shape of the slice</source>
        <translation>所显示内容的形状</translation>
    </message>
    <message>
        <source>Slice</source>
        <translation>切片</translation>
    </message>
    <message>
        <source>NumPy-style slice to show, such as 0, :, 3 or ..., ::2</source>
        <translation>显示哪一部分，写法同 NumPy：0, :, 3 或 ..., ::2</translation>
    </message>
    <message>
        <source>Chart type</source>
        <translation>绘制方式</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the slice as NumPy text</source>
        <translation>把所显示的部分复制为 NumPy 文本</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Save the slice (.npy, .pt, .csv)</source>
        <translation>保存所显示的部分（.npy、.pt、.csv）</translation>
    </message>
    <message>
        <source>Slice error</source>
        <translation>切片的问题</translation>
    </message>
    <message>
        <source>Elements</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>Double-click a tensor, or select one and choose Inspect.</source>
        <translation>请双击一个张量，或选中后按“查看”。</translation>
    </message>
    <message>
        <source>Matrices as images</source>
        <translation>矩阵的图片</translation>
    </message>
    <message>
        <source>Elements in order</source>
        <translation>按顺序的元素</translation>
    </message>
    <message>
        <source>Statistics and attributes</source>
        <translation>统计与属性</translation>
    </message>
</context>
<context>
    <name>TextEditor</name>
    <message>
        <source>auto: {value}</source>
        <translation>自动：{value}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>TokenMatrix</name>
    <message>
        <source>“{row}” (row {r}) looks at “{column}” (column {c}) with {weight}</source>
        <translation>“{row}”（第 {r} 行）对“{column}”（第 {c} 列）的权重为 {weight}</translation>
    </message>
    <message>
        <source>“{row}” (row {r}) does not see “{column}” (column {c}): masked, or 0</source>
        <translation>“{row}”（第 {r} 行）看不到“{column}”（第 {c} 列）：被掩蔽，或为 0</translation>
    </message>
    <message>
        <source>Attention weights</source>
        <translation>注意力权重</translation>
    </message>
    <message>
        <source>After “{row}” (row {r}) unit {column} is {weight}</source>
        <translation>“{row}”（第 {r} 行）之后，单元 {column} 为 {weight}</translation>
    </message>
</context>
<context>
    <name>Tour</name>
    <message>
        <source>From left to right</source>
        <translation>从左到右</translation>
    </message>
    <message>
        <source>The workspaces follow your workflow: build the model, choose data, train, compare runs, and export the result.</source>
        <translation>工作区按工作顺序排列：绘制模型、选择数据、训练、比较运行、带走成果。</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Drag a layer onto the canvas, or press Tab over the canvas and type its name.</source>
        <translation>把层拖到画布上，或在画布上按 Tab 并输入名称。</translation>
    </message>
    <message>
        <source>The canvas is the model</source>
        <translation>画布就是模型</translation>
    </message>
    <message>
        <source>Drag a wire from an output to an input. Shapes appear on the wires as you build, and the Python code of your model appears below.</source>
        <translation>从输出拉一条线到输入。绘制时形状会显示在连线上，下方同步生成 Python 代码。</translation>
    </message>
    <message>
        <source>Settings and help</source>
        <translation>设置与帮助</translation>
    </message>
    <message>
        <source>Shows the settings, shapes and documentation of the selected layer.</source>
        <translation>所选层的设置、形状和文档。</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Problems with the model are listed here. Click one to go to its location.</source>
        <translation>尚不匹配之处列在这里，单击即可跳转。</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>F5 starts a run in a separate process. F6 pauses it. Shift+F5 stops it and keeps everything.</source>
        <translation>按 F5 开始运行，它在独立的进程中进行；F6 暂停，Shift+F5 停止并保留全部结果。</translation>
    </message>
    <message>
        <source>Everything else</source>
        <translation>其他一切</translation>
    </message>
    <message>
        <source>Press Ctrl+K to find any command by name.</source>
        <translation>按 Ctrl+K 可按名称查找任何命令。</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>参观向导</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
</context>
<context>
    <name>Trace</name>
    <message>
        <source>Line number</source>
        <translation>行号</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Variable</source>
        <translation>变量</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Lines appear after the model has been checked.</source>
        <translation>模型检查完毕后，这里会列出各行。</translation>
    </message>
    <message>
        <source>No line of the forward pass belongs to the selected node.</source>
        <translation>前向传播中没有与所选节点对应的行。</translation>
    </message>
    <message>
        <source>{count} {count|tensor|tensors} for a batch of 2, in training mode on the CPU</source>
        <translation>大小为 2 的批次产生的 {count} 个张量，训练模式，在 CPU 上</translation>
    </message>
    <message>
        <source>; the rest is omitted</source>
        <translation>；其余略去</translation>
    </message>
    <message>
        <source>scalar</source>
        <translation>标量</translation>
    </message>
    <message>
        <source>Double-click to go to the node</source>
        <translation>双击前往节点</translation>
    </message>
    <message>
        <source>Trace of the forward pass</source>
        <translation>前向传播跟踪</translation>
    </message>
    <message>
        <source>Trace again</source>
        <translation>重新跟踪</translation>
    </message>
    <message>
        <source>Run the model again on two random samples</source>
        <translation>让两个随机数样本再次通过模型</translation>
    </message>
    <message>
        <source>Only the selected node</source>
        <translation>仅选中的节点</translation>
    </message>
    <message>
        <source>Show only the lines of the node selected on the canvas</source>
        <translation>显示画布上所选节点对应的行</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Lines of the forward pass</source>
        <translation>前向传播的各行</translation>
    </message>
</context>
<context>
    <name>Train</name>
    <message>
        <source>Change setting</source>
        <translation>修改设置</translation>
    </message>
    <message>
        <source>Reset setting</source>
        <translation>重置设置</translation>
    </message>
    <message>
        <source>Train the model (F5)</source>
        <translation>训练模型（F5）</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Learning rate schedule</source>
        <translation>学习率调度</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Several processes</source>
        <translation>多个进程</translation>
    </message>
    <message>
        <source>Precision and speed</source>
        <translation>精度与速度</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>梯度裁剪</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Monitoring</source>
        <translation>监测</translation>
    </message>
    <message>
        <source>Loss {number}</source>
        <translation>损失 {number}</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Add loss</source>
        <translation>再添加一个损失</translation>
    </message>
    <message>
        <source>Parameter group {number}</source>
        <translation>参数组 {number}</translation>
    </message>
    <message>
        <source>Add parameter group</source>
        <translation>添加参数组</translation>
    </message>
    <message>
        <source>such as head, *.bias</source>
        <translation>例如 head, *.bias</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>系数</translation>
    </message>
    <message>
        <source>Choose a file and compare it with the model…</source>
        <translation>选择文件并查看其中哪些相符…</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度方式</translation>
    </message>
    <message>
        <source>Loss function</source>
        <translation>损失函数</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>接着</translation>
    </message>
    <message>
        <source>Add schedule</source>
        <translation>添加调度</translation>
    </message>
    <message>
        <source>And</source>
        <translation>同时</translation>
    </message>
    <message>
        <source>How the weights are updated after each batch.</source>
        <translation>权重在每个批次之后如何改变。</translation>
    </message>
    <message>
        <source>How the learning rate changes during the run. Choose none to keep it constant.</source>
        <translation>运行中学习率如何变化；选择无则保持不变。</translation>
    </message>
    <message>
        <source>The quantity that training minimizes. Several losses are added.</source>
        <translation>训练要减小的量；多个损失会相加。</translation>
    </message>
    <message>
        <source>The input of the loss: an output of the model or a field of the data.</source>
        <translation>损失在此处取用的内容：模型的输出或数据的字段。</translation>
    </message>
    <message>
        <source>there are no more classes</source>
        <translation>类别总共不多于此数</translation>
    </message>
    <message>
        <source>the model writes no text of its own</source>
        <translation>模型不会自己写出文本</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>automatic ({metrics})</source>
        <translation>自动（{metrics}）</translation>
    </message>
    <message>
        <source>not for boxes</source>
        <translation>不用于边界框</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>What to measure besides the loss after each epoch. You can choose several.</source>
        <translation>每轮结束后除损失外还要测量的内容；可以选择多个。</translation>
    </message>
    <message>
        <source>for regression only</source>
        <translation>仅用于回归</translation>
    </message>
    <message>
        <source>for masks only</source>
        <translation>仅用于掩码</translation>
    </message>
    <message>
        <source>for classification only</source>
        <translation>仅用于分类</translation>
    </message>
    <message>
        <source>Train workspace</source>
        <translation>训练工作区</translation>
    </message>
    <message>
        <source>Certify…</source>
        <translation>验证续训…</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>训练设置</translation>
    </message>
    <message>
        <source>Learning rate over the run</source>
        <translation>运行中的学习率</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Planned learning rate</source>
        <translation>计划的学习率</translation>
    </message>
    <message>
        <source>Learning rate of the run</source>
        <translation>本次运行的学习率</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>恢复运行</translation>
    </message>
    <message>
        <source>Continue training</source>
        <translation>继续训练</translation>
    </message>
    <message>
        <source>Resume the last run from its latest checkpoint (Ctrl+F5)</source>
        <translation>从最新检查点继续上次运行（Ctrl+F5）</translation>
    </message>
    <message>
        <source>Learning rate and loss scale</source>
        <translation>本次运行的学习率与损失缩放因子</translation>
    </message>
    <message>
        <source>Pause after this step and save a checkpoint (F6)</source>
        <translation>在当前步之后暂停，并写入检查点（F6）</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Run one step, then pause again (F10)</source>
        <translation>执行一步后再次暂停（F10）</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the run and keep its checkpoint and curves (Shift+F5)</source>
        <translation>结束运行；保留检查点和曲线（Shift+F5）</translation>
    </message>
    <message>
        <source>Why training cannot start</source>
        <translation>无法开始训练的原因</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Epoch and step</source>
        <translation>轮与步</translation>
    </message>
    <message>
        <source>Prove that a resume of this run computes the same bits as if it had never stopped</source>
        <translation>证明恢复此运行会算出与从未停止时相同的每一位</translation>
    </message>
    <message>
        <source>Save checkpoint now</source>
        <translation>立即保存检查点</translation>
    </message>
    <message>
        <source>Save a checkpoint after this step and keep it, marked on the curves (Ctrl+F6)</source>
        <translation>在当前步之后保存检查点并保留，标在曲线上 (Ctrl+F6)</translation>
    </message>
    <message>
        <source>Evaluate now</source>
        <translation>立即评估</translation>
    </message>
    <message>
        <source>Evaluate the validation split after this step; the run computes the same as without (Shift+F6)</source>
        <translation>在当前步之后评估验证集；运行的计算结果不变 (Shift+F6)</translation>
    </message>
    <message>
        <source>Time and speed</source>
        <translation>时间与速度</translation>
    </message>
    <message>
        <source>Loss scale in mixed precision</source>
        <translation>混合精度中损失的缩放因子</translation>
    </message>
    <message>
        <source>Recipe and curves</source>
        <translation>设置与曲线</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>曲线</translation>
    </message>
    <message>
        <source>Live settings</source>
        <translation>实时设置</translation>
    </message>
    <message>
        <source>Setting error</source>
        <translation>无法设置该值的原因</translation>
    </message>
    <message>
        <source>Parameter group {number} · {setting}</source>
        <translation>参数组 {number} · {setting}</translation>
    </message>
    <message>
        <source>Parameter group {number} ({names}) · {setting}</source>
        <translation>参数组 {number}（{names}）· {setting}</translation>
    </message>
    <message>
        <source>Learning rate (all groups)</source>
        <translation>学习率（所有组）</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Press Enter to set the learning rate of the run from its next step</source>
        <translation>按回车键，从下一步起改变运行的学习率</translation>
    </message>
    <message>
        <source>Press Enter to set the learning rate of parameters without a group from the next step. Groups keep their ratio to it:</source>
        <translation>按回车键，从下一步起改变不属于任何组的参数的学习率。各组的学习率与它保持原有比例：</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Press Enter to make the run longer or shorter</source>
        <translation>按回车键可延长或缩短运行</translation>
    </message>
    <message>
        <source>With weight decay: {decaying}
Without: {rest}</source>
        <translation>有权重衰减：{decaying}
无权重衰减：{rest}</translation>
    </message>
    <message>
        <source>× {factor}: {layers} ({parameters} parameters)</source>
        <translation>× {factor}：{layers}（{parameters} 个参数）</translation>
    </message>
    <message>
        <source>{parameters} parameters in {tensors} tensors</source>
        <translation>{tensors} 个张量中的 {parameters} 个参数</translation>
    </message>
    <message>
        <source>{parameters} parameters in 1 tensor</source>
        <translation>1 个张量中的 {parameters} 个参数</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Minutes</source>
        <translation>分钟</translation>
    </message>
    <message>
        <source>Continue this run up to {total} epochs in total (Ctrl+F5)</source>
        <translation>把此次运行继续训练到共 {total} 轮（Ctrl+F5）</translation>
    </message>
    <message>
        <source>Continue this run up to {total} steps in total (Ctrl+F5)</source>
        <translation>把此次运行继续训练到共 {total} 步（Ctrl+F5）</translation>
    </message>
    <message>
        <source>Continue this run up to {total} min in total (Ctrl+F5)</source>
        <translation>把此次运行继续训练到共 {total} 分钟（Ctrl+F5）</translation>
    </message>
    <message>
        <source>applies now</source>
        <translation>立即生效</translation>
    </message>
    <message>
        <source>Apply edits now</source>
        <translation>立即应用更改</translation>
    </message>
    <message>
        <source>While this is on, edits of the recipe, and of dropout and frozen layers in the model, take effect in this run after its current step and are marked on the curve. Fields that can do this say so; all others apply to the next run. Undo sets the value back.</source>
        <translation>打开时，对训练设置以及模型中 Dropout 和冻结层的更改会在当前步之后在此运行中生效，并标在曲线上。可以这样更改的字段会注明；其他更改只用于下一次运行。撤销会把值改回。</translation>
    </message>
    <message>
        <source>Add phase</source>
        <translation>添加阶段</translation>
    </message>
    <message>
        <source>Train with several optimizers: at the same time, in turns as a GAN does, or one after the other. Choose the optimizer of the new phase.</source>
        <translation>用多个优化器训练：同时进行、像 GAN 那样轮流进行，或一个接一个。请选择新阶段的优化器。</translation>
    </message>
    <message>
        <source>Duplicate, move or remove this phase…</source>
        <translation>复制、移动或删除此阶段…</translation>
    </message>
    <message>
        <source>Learning rate ({phase})</source>
        <translation>学习率（{phase}）</translation>
    </message>
    <message>
        <source>Duplicate phase</source>
        <translation>复制阶段</translation>
    </message>
    <message>
        <source>Move phase up</source>
        <translation>上移阶段</translation>
    </message>
    <message>
        <source>Move phase down</source>
        <translation>下移阶段</translation>
    </message>
    <message>
        <source>Remove phase</source>
        <translation>删除阶段</translation>
    </message>
    <message>
        <source>Phase {number}</source>
        <translation>阶段 {number}</translation>
    </message>
    <message>
        <source>{text} ({phase})</source>
        <translation>{text}（{phase}）</translation>
    </message>
    <message>
        <source>Best checkpoint</source>
        <translation>最佳检查点</translation>
    </message>
    <message>
        <source>Last checkpoint</source>
        <translation>最后一个检查点</translation>
    </message>
    <message>
        <source>Checkpoint file…</source>
        <translation>检查点文件…</translation>
    </message>
    <message>
        <source>No teacher</source>
        <translation>没有教师</translation>
    </message>
    <message>
        <source>Choose teacher</source>
        <translation>选择教师</translation>
    </message>
    <message>
        <source>Choose the teacher&apos;s checkpoint</source>
        <translation>选择教师的检查点</translation>
    </message>
    <message>
        <source>Save the project before you choose a file as the teacher.</source>
        <translation>请先保存项目，再选择文件作为教师。</translation>
    </message>
    <message>
        <source>The checkpoint was copied to {file} in the project.</source>
        <translation>检查点已复制到项目中的 {file}。</translation>
    </message>
    <message>
        <source>Choose a run or a checkpoint file…</source>
        <translation>选择运行或检查点文件…</translation>
    </message>
    <message>
        <source>Suggest losses for the target…</source>
        <translation>推荐适合目标的损失…</translation>
    </message>
    <message>
        <source>After a change of the model</source>
        <translation>修改模型之后</translation>
    </message>
    <message>
        <source>Ranking and similarity</source>
        <translation>排序与相似度</translation>
    </message>
    <message>
        <source>Choose loss</source>
        <translation>选择损失</translation>
    </message>
    <message>
        <source>The model needs {count} more {count|output|outputs} for it.</source>
        <translation>模型还需要 {count} 个输出才能使用它。</translation>
    </message>
    <message>
        <source>No target</source>
        <translation>没有目标</translation>
    </message>
    <message>
        <source>one of {count} classes</source>
        <translation>{count} 个类之一</translation>
    </message>
    <message>
        <source>classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>one of two classes</source>
        <translation>两个类之一</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>one class of several, by a raw score for each</source>
        <translation>多个类中的一个，每个类一个原始分数</translation>
    </message>
    <message>
        <source>one class of several, by log-probabilities (LogSoftmax)</source>
        <translation>多个类中的一个，使用对数概率（LogSoftmax）</translation>
    </message>
    <message>
        <source>the right class leads the others by a margin</source>
        <translation>正确的类要比其他类高出一个间隔</translation>
    </message>
    <message>
        <source>yes or no for each output, by raw scores</source>
        <translation>每个输出为是或否，使用原始分数</translation>
    </message>
    <message>
        <source>yes or no for each output, by probabilities (Sigmoid)</source>
        <translation>每个输出为是或否，使用概率（Sigmoid）</translation>
    </message>
    <message>
        <source>several yes or no answers for a sample</source>
        <translation>一个样本有多个是或否的答案</translation>
    </message>
    <message>
        <source>two classes that are called 1 and −1</source>
        <translation>两个类，记作 1 和 −1</translation>
    </message>
    <message>
        <source>the probabilities of all classes (LogSoftmax)</source>
        <translation>所有类的概率（LogSoftmax）</translation>
    </message>
    <message>
        <source>large errors count most</source>
        <translation>误差越大，所占越重</translation>
    </message>
    <message>
        <source>outliers count no more than other errors</source>
        <translation>离群值不比其他误差占得更重</translation>
    </message>
    <message>
        <source>squares of small errors, robust against outliers</source>
        <translation>小误差取平方，对离群值稳健</translation>
    </message>
    <message>
        <source>as HuberLoss, divided by its threshold</source>
        <translation>与 HuberLoss 相同，再除以其阈值</translation>
    </message>
    <message>
        <source>numbers with their variance, a second output</source>
        <translation>数值及其方差，方差是第二个输出</translation>
    </message>
    <message>
        <source>counts of events, by the logarithm of their rate</source>
        <translation>事件次数，使用其发生率的对数</translation>
    </message>
    <message>
        <source>which of two outputs is larger (1 or −1)</source>
        <translation>两个输出中哪个更大（1 或 −1）</translation>
    </message>
    <message>
        <source>distances of pairs that match or not (1 or −1)</source>
        <translation>成对样本的距离，匹配与否（1 或 −1）</translation>
    </message>
    <message>
        <source>two embeddings that match or not (1 or −1)</source>
        <translation>两个嵌入向量，匹配与否（1 或 −1）</translation>
    </message>
    <message>
        <source>an anchor nearer to its like than to another</source>
        <translation>锚点离同类比离异类更近</translation>
    </message>
    <message>
        <source>Planned learning rate: drag its points; double-click adds one, right-click removes one</source>
        <translation>计划的学习率：拖动各点；双击添加，右击移除</translation>
    </message>
    <message>
        <source>for two classes only</source>
        <translation>仅用于两个类别</translation>
    </message>
    <message>
        <source>needs a split by groups, by the column of the queries</source>
        <translation>需要按查询所在的列分组划分</translation>
    </message>
    <message>
        <source>for rankings only</source>
        <translation>仅用于排序</translation>
    </message>
    <message>
        <source>none: the latest is the best</source>
        <translation>无：最新的就是最佳</translation>
    </message>
    <message>
        <source>for several numbers only</source>
        <translation>仅用于多个数</translation>
    </message>
</context>
<context>
    <name>Transforms</name>
    <message>
        <source>Add transform</source>
        <translation>添加变换</translation>
    </message>
    <message>
        <source>Search transforms</source>
        <translation>搜索变换</translation>
    </message>
    <message>
        <source>Search: flip, crop, color, noise…</source>
        <translation>搜索：翻转、裁剪、颜色、噪声…</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>作用</translation>
    </message>
    <message>
        <source>No transform matches. Try “flip”, “crop” or “color”.</source>
        <translation>没有匹配的变换。试试“flip”、“crop”或“color”。</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add {name}</source>
        <translation>添加 {name}</translation>
    </message>
    <message>
        <source>Move {name}</source>
        <translation>移动 {name}</translation>
    </message>
    <message>
        <source>Duplicate {name}</source>
        <translation>复制 {name}</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>移除 {name}</translation>
    </message>
    <message>
        <source>Switch {name} on</source>
        <translation>开启 {name}</translation>
    </message>
    <message>
        <source>Switch {name} off</source>
        <translation>关闭 {name}</translation>
    </message>
    <message>
        <source>Common for sounds</source>
        <translation>适用于声音的常用变换</translation>
    </message>
    <message>
        <source>Common for photographs</source>
        <translation>照片常用</translation>
    </message>
    <message>
        <source>Normalize with ImageNet&apos;s values</source>
        <translation>用 ImageNet 的值归一化</translation>
    </message>
    <message>
        <source>Normalize with the values of this data</source>
        <translation>用此数据的值归一化</translation>
    </message>
    <message>
        <source>Use the transforms for photographs</source>
        <translation>使用照片常用的变换</translation>
    </message>
    <message>
        <source>Use the transforms for sounds</source>
        <translation>使用声音的常用变换</translation>
    </message>
    <message>
        <source>Transforms</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>Sample and transforms</source>
        <translation>样本与变换</translation>
    </message>
    <message>
        <source>Transforms and settings</source>
        <translation>变换与设置</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>No images</source>
        <translation>没有图像</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>The part of the data whose transforms are shown</source>
        <translation>显示哪一部分数据的变换</translation>
    </message>
    <message>
        <source>Previous sample (P)</source>
        <translation>上一个样本（P）</translation>
    </message>
    <message>
        <source>Next sample (N)</source>
        <translation>下一个样本（N）</translation>
    </message>
    <message>
        <source>New draw</source>
        <translation>重新抽取</translation>
    </message>
    <message>
        <source>Draw other random numbers, as in another epoch (R)</source>
        <translation>像在另一轮中那样抽取其他随机数（R）</translation>
    </message>
    <message>
        <source>What applies</source>
        <translation>应用哪些变换</translation>
    </message>
    <message>
        <source>Sample after each transform</source>
        <translation>每个变换之后的样本</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>添加…</translation>
    </message>
    <message>
        <source>Add one of torchvision&apos;s transforms (Ins)</source>
        <translation>添加 torchvision 的一个变换（Ins）</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Usual lists of transforms, and usual values of Normalize</source>
        <translation>常用的变换列表，以及 Normalize 的常用值</translation>
    </message>
    <message>
        <source>Use the values of this data</source>
        <translation>使用此数据的值</translation>
    </message>
    <message>
        <source>Compute mean and standard deviation of each channel over the training part, after the transforms that apply to all parts</source>
        <translation>计算训练部分每个通道的均值和标准差，在应用于所有部分的变换之后</translation>
    </message>
    <message>
        <source>Blends training batches.</source>
        <translation>混合训练批次。</translation>
    </message>
    <message>
        <source>Random: applied to training only.</source>
        <translation>随机：仅应用于训练。</translation>
    </message>
    <message>
        <source>Not random: applied to all parts.</source>
        <translation>非随机：应用于所有部分。</translation>
    </message>
    <message>
        <source>Training batches</source>
        <translation>训练批次</translation>
    </message>
    <message>
        <source>switched off</source>
        <translation>已关闭</translation>
    </message>
    <message>
        <source>not applied to this part</source>
        <translation>不应用于这一部分</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>All parts</source>
        <translation>所有部分</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练集</translation>
    </message>
    <message>
        <source>Choose a transform to see its settings.</source>
        <translation>选择一个变换以查看其设置。</translation>
    </message>
    <message>
        <source>No transforms yet. Add one, or start from a preset: random changes show the model each training sample in other ways, so that it learns what matters.</source>
        <translation>还没有变换。添加一个，或从预设开始：随机的改变让模型以不同的样子看到每个训练样本，从而学会真正重要的东西。</translation>
    </message>
    <message>
        <source>After that, the setting Normalization ({kind}) scales the values of every part by those of the training part.</source>
        <translation>之后，设置“归一化”（{kind}）按训练部分的值缩放所有部分的数值。</translation>
    </message>
    <message>
        <source>Training gets {count} of {total} {total|transform|transforms}. Random ones are drawn anew for every sample in every epoch.</source>
        <translation>训练应用 {total} 个变换中的 {count} 个。随机变换在每一轮对每个样本重新抽取。</translation>
    </message>
    <message>
        <source>{part} gets {count} of {total} {total|transform|transforms}, and {names} at random: its results differ from epoch to epoch.</source>
        <translation>{part}应用 {total} 个变换中的 {count} 个，其中 {names} 是随机的：每一轮的结果都不同。</translation>
    </message>
    <message>
        <source>Sample {number} of {count}</source>
        <translation>样本 {number} / {count}</translation>
    </message>
    <message>
        <source>Reading training samples: {done} of {count}</source>
        <translation>正在读取训练样本：{done} / {count}</translation>
    </message>
    <message>
        <source>Normalize has the mean and deviation of {count} training {count|sample|samples}.</source>
        <translation>Normalize 使用 {count} 个训练样本的均值和标准差。</translation>
    </message>
    <message>
        <source>Normalize has the mean and deviation of {count} of the {total} training samples, drawn at random.</source>
        <translation>Normalize 使用 {total} 个训练样本中随机抽取的 {count} 个的均值和标准差。</translation>
    </message>
    <message>
        <source>First {count} of a training batch of {size}</source>
        <translation>训练批次（{size} 个样本）的前 {count} 个</translation>
    </message>
    <message>
        <source>No transform of batches is on: each sample is itself.</source>
        <translation>没有开启批次变换：每个样本保持原样。</translation>
    </message>
    <message>
        <source>{name}: each sample keeps {share} of itself and takes the rest, with its label, from the one before it in the batch. Training only; validation and test are never blended.</source>
        <translation>{name}：每个样本保留自身的 {share}，其余部分连同标签取自批次中的前一个样本。仅用于训练；验证集和测试集从不混合。</translation>
    </message>
    <message>
        <source>Of {names}, one is drawn at random for each batch.</source>
        <translation>{names} 中，每个批次随机抽取一个。</translation>
    </message>
    <message>
        <source>These data have no images, sounds or videos</source>
        <translation>这些数据中没有图片、声音或视频</translation>
    </message>
    <message>
        <source>No sample</source>
        <translation>没有样本</translation>
    </message>
    <message>
        <source>No batch</source>
        <translation>没有批次</translation>
    </message>
    <message>
        <source>Batch [{number}]</source>
        <translation>批次 [{number}]</translation>
    </message>
    <message>
        <source>As read</source>
        <translation>读取时</translation>
    </message>
    <message>
        <source>{count} {count|box|boxes}</source>
        <translation>{count} 个边界框</translation>
    </message>
    <message>
        <source>{inside} of {count} {count|point|points} inside</source>
        <translation>{count} 个点中有 {inside} 个在图内</translation>
    </message>
    <message>
        <source>Transform</source>
        <translation>变换</translation>
    </message>
    <message>
        <source>Applied to</source>
        <translation>应用于</translation>
    </message>
    <message>
        <source>Move up (Alt+Up)</source>
        <translation>上移（Alt+Up）</translation>
    </message>
    <message>
        <source>Move down (Alt+Down)</source>
        <translation>下移（Alt+Down）</translation>
    </message>
    <message>
        <source>Duplicate (Ctrl+D)</source>
        <translation>创建副本（Ctrl+D）</translation>
    </message>
    <message>
        <source>Remove (Del)</source>
        <translation>移除（Del）</translation>
    </message>
    <message>
        <source>Of your code: applied to all parts.</source>
        <translation>来自您的代码：应用于所有部分。</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>Training: {training}. Evaluation: {evaluation}.</source>
        <translation>训练：{training}。评估：{evaluation}。</translation>
    </message>
    <message>
        <source>Transforms change images and what goes with them, masks and boxes, sounds or videos. For columns of numbers, choose Normalization at the left, or write a function of your own: a transform in the code of the project takes any sample.</source>
        <translation>变换改变图像及其掩码和边界框、声音或视频。对于数值列，请在左侧选择归一化，或自己编写函数：项目代码中的变换可以处理任何样本。</translation>
    </message>
    <message>
        <source>{part} gets {count} of {total} {total|transform|transforms}: those applied to all parts, or to evaluation. Random ones are left out, so that results can be compared.</source>
        <translation>{part}应用 {total} 个变换中的 {count} 个：应用于所有部分或评估的变换。不使用随机变换，因此结果可以比较。</translation>
    </message>
    <message>
        <source>Nothing of it was drawn.</source>
        <translation>其中没有抽中任何变换。</translation>
    </message>
    <message>
        <source>Move into the container above (Alt+Right)</source>
        <translation>移入上面的容器（Alt+Right）</translation>
    </message>
    <message>
        <source>Move out of the container (Alt+Left)</source>
        <translation>移出容器（Alt+Left）</translation>
    </message>
    <message>
        <source>{count} {count|box|boxes}, {lost} cut away</source>
        <translation>{count} 个边界框，去掉了 {lost} 个</translation>
    </message>
</context>
<context>
    <name>TreeView</name>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter the rows</source>
        <translation>筛选行</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>树</translation>
    </message>
</context>
<context>
    <name>Trust</name>
    <message>
        <source>This project contains custom code from elsewhere ({names}). It does not run until you trust it. Everything else works.</source>
        <translation>此项目含有不是在这里编写的代码（{names}）。在您信任它之前都不会运行；其他一切照常工作。</translation>
    </message>
    <message>
        <source>Review code</source>
        <translation>查看代码</translation>
    </message>
    <message>
        <source>Trust and run</source>
        <translation>信任并运行</translation>
    </message>
    <message>
        <source>Keep restricted</source>
        <translation>保持受限</translation>
    </message>
    <message>
        <source>Custom code does not run. To change that, choose “{menu} › {command}”.</source>
        <translation>自定义代码不会运行。要更改，请选择“{menu} › {command}”。</translation>
    </message>
</context>
<context>
    <name>VerbBar</name>
    <message>
        <source>Actions</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
</context>
<context>
    <name>Weights</name>
    <message>
        <source>Open or import a model before you load weights.</source>
        <translation>权重属于某个模型：请先打开或导入一个模型。</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Choose weights file</source>
        <translation>选择权重文件</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Reading the file…</source>
        <translation>正在读取文件…</translation>
    </message>
    <message>
        <source>Start from weights</source>
        <translation>从权重开始</translation>
    </message>
    <message>
        <source>The next run starts from {count} {count|tensor|tensors} in {file}.</source>
        <translation>下一次运行将从 {file} 中的 {count} 个张量开始。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Remove prefix</source>
        <translation>去掉前缀</translation>
    </message>
    <message>
        <source>The prefix of names in the file that this model does not have.</source>
        <translation>文件中的名称以什么开头，而这里不是这样命名的。</translation>
    </message>
    <message>
        <source>Add prefix</source>
        <translation>添加前缀</translation>
    </message>
    <message>
        <source>The part of the model that the weights belong to.</source>
        <translation>文件中的权重属于模型的哪一部分。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Use weights</source>
        <translation>取用</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Use {count} matching</source>
        <translation>取用相符的 {count} 个</translation>
    </message>
    <message>
        <source>Use all {count}</source>
        <translation>取用全部 {count} 个</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>First steps</source>
        <translation>入门</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Tables and functions</source>
        <translation>表格与函数</translation>
    </message>
    <message>
        <source>Sequences</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Classification</source>
        <translation>分类</translation>
    </message>
    <message>
        <source>Two classes</source>
        <translation>二分类</translation>
    </message>
    <message>
        <source>Regression</source>
        <translation>回归</translation>
    </message>
    <message>
        <source>Segmentation</source>
        <translation>分割</translation>
    </message>
    <message>
        <source>Object detection</source>
        <translation>目标检测</translation>
    </message>
    <message>
        <source>Image to image</source>
        <translation>图像到图像</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Sequence to sequence</source>
        <translation>序列到序列</translation>
    </message>
    <message>
        <source>Model only</source>
        <translation>仅模型</translation>
    </message>
    <message>
        <source>trains in under a minute</source>
        <translation>训练不到一分钟</translation>
    </message>
    <message>
        <source>trains in about {minutes} min</source>
        <translation>训练约 {minutes} 分钟</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>Projects that you open appear here.</source>
        <translation>打开过的项目会显示在这里。</translation>
    </message>
    <message>
        <source>Build a model, train it, inspect it, export the code.</source>
        <translation>绘制模型，训练模型，洞察内部，带走代码。</translation>
    </message>
    <message>
        <source>Start with an example</source>
        <translation>从示例开始</translation>
    </message>
    <message>
        <source>Your projects</source>
        <translation>您的项目</translation>
    </message>
    <message>
        <source>Open project…</source>
        <translation>打开项目…</translation>
    </message>
    <message>
        <source>New empty project…</source>
        <translation>新建空项目…</translation>
    </message>
    <message>
        <source>Train on your data…</source>
        <translation>用自己的数据训练…</translation>
    </message>
    <message>
        <source>Import model…</source>
        <translation>导入模型…</translation>
    </message>
    <message>
        <source>Fine-tune model…</source>
        <translation>微调模型…</translation>
    </message>
    <message>
        <source>Take the tour</source>
        <translation>参观向导</translation>
    </message>
    <message>
        <source>Check installation</source>
        <translation>检查安装</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Search the examples</source>
        <translation>搜索示例</translation>
    </message>
    <message>
        <source>Search titles and descriptions. Press Enter to open the first result.</source>
        <translation>标题或说明中的词；按回车打开找到的第一个。</translation>
    </message>
    <message>
        <source>No matching examples.</source>
        <translation>没有包含这些词的示例。</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Show {examples}</source>
        <translation>显示：{examples}</translation>
    </message>
    <message>
        <source>Language model</source>
        <translation>语言模型</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <source>Menus</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Work area</source>
        <translation>工作区域</translation>
    </message>
    <message>
        <source>Undone: {what}</source>
        <translation>已撤销：{what}</translation>
    </message>
    <message>
        <source>Redone: {what}</source>
        <translation>已重做：{what}</translation>
    </message>
    <message>
        <source>A screenshot of the window was copied to the clipboard.</source>
        <translation>窗口截图已复制到剪贴板。</translation>
    </message>
    <message>
        <source>Palette</source>
        <translation>组件面板</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Build the model (Ctrl+1)</source>
        <translation>绘制模型（Ctrl+1）</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Choose and explore the data (Ctrl+2)</source>
        <translation>选择并查看数据（Ctrl+2）</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Set up the recipe and watch the curves (Ctrl+3)</source>
        <translation>设置训练并观察曲线（Ctrl+3）</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>检视</translation>
    </message>
    <message>
        <source>Look inside a training step (Ctrl+4)</source>
        <translation>查看训练步骤的内部（Ctrl+4）</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Compare runs and resume from checkpoints (Ctrl+5)</source>
        <translation>比较运行，并从检查点继续 (Ctrl+5)</translation>
    </message>
    <message>
        <source>Export weights and code (Ctrl+6)</source>
        <translation>带走权重和代码 (Ctrl+6)</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>This is no longer the last change. Use Edit, Undo to undo changes one by one.</source>
        <translation>这已不是最后一次更改。“编辑 &gt; 撤销”会逐步撤销更改。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>WindowGrid</name>
    <message>
        <source>Kernel on the input grid</source>
        <translation>网格上的窗口</translation>
    </message>
</context>
<context>
    <name>WindowPicture</name>
    <message>
        <source>Kernel animation</source>
        <translation>卷积核如何滑动</translation>
    </message>
    <message>
        <source>Slide kernel</source>
        <translation>让卷积核滑动</translation>
    </message>
    <message>
        <source>Slide the kernel over the input</source>
        <translation>让卷积核在输入上滑动</translation>
    </message>
    <message>
        <source>Kernel position</source>
        <translation>卷积核的位置</translation>
    </message>
    <message>
        <source>Kernel position; you can also point at the small grid</source>
        <translation>卷积核的位置；也可用鼠标指向小网格</translation>
    </message>
    <message>
        <source>Output size formula</source>
        <translation>大小的由来</translation>
    </message>
</context>
<context>
    <name>Wording</name>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} 分 {seconds} 秒</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} 小时 {minutes} 分</translation>
    </message>
</context>
<context>
    <name>XyChart</name>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Curves; press Space to show or hide</source>
        <translation>曲线；空格键隐藏或显示</translation>
    </message>
</context>
</TS>
