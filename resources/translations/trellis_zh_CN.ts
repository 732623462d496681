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
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
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
        <source>Welcome page</source>
        <translation>欢迎页</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save a copy as…</source>
        <translation>另存副本…</translation>
    </message>
    <message>
        <source>Show the project folder</source>
        <translation>显示项目文件夹</translation>
    </message>
    <message>
        <source>Copy a picture of the window</source>
        <translation>复制窗口截图</translation>
    </message>
    <message>
        <source>Preferences…</source>
        <translation>首选项…</translation>
    </message>
    <message>
        <source>Close the project</source>
        <translation>关闭项目</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
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
        <source>Find a command…</source>
        <translation>查找命令…</translation>
    </message>
    <message>
        <source>Model workspace</source>
        <translation>模型工作区</translation>
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
        <source>Runs workspace</source>
        <translation>运行记录工作区</translation>
    </message>
    <message>
        <source>Export workspace</source>
        <translation>导出工作区</translation>
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
        <source>Reset the layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Theme: as the system</source>
        <translation>主题：跟随系统</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Theme: light</source>
        <translation>主题：浅色</translation>
    </message>
    <message>
        <source>Theme: dark</source>
        <translation>主题：深色</translation>
    </message>
    <message>
        <source>Language: as the system</source>
        <translation>语言：跟随系统</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
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
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Add a layer…</source>
        <translation>添加层…</translation>
    </message>
    <message>
        <source>Rename the layer</source>
        <translation>重命名层</translation>
    </message>
    <message>
        <source>Arrange</source>
        <translation>自动排列</translation>
    </message>
    <message>
        <source>Fit the model to the window</source>
        <translation>缩放到显示整个模型</translation>
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
        <source>Snap to the grid</source>
        <translation>对齐网格</translation>
    </message>
    <message>
        <source>Mini-map</source>
        <translation>缩略图</translation>
    </message>
    <message>
        <source>Copy the code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>开始训练</translation>
    </message>
    <message>
        <source>Pause or go on</source>
        <translation>暂停或继续</translation>
    </message>
    <message>
        <source>Take one step</source>
        <translation>单步执行</translation>
    </message>
    <message>
        <source>Stop, keeping everything</source>
        <translation>停止并保留全部结果</translation>
    </message>
    <message>
        <source>Resume the last run</source>
        <translation>恢复上次运行</translation>
    </message>
    <message>
        <source>Help on what is selected</source>
        <translation>所选内容的帮助</translation>
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
        <source>Show the last crash report</source>
        <translation>显示最近的崩溃报告</translation>
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
</context>
<context>
    <name>BarChart</name>
    <message>
        <source>Bar chart</source>
        <translation>柱状图</translation>
    </message>
</context>
<context>
    <name>Canvas</name>
    <message>
        <source>Canvas</source>
        <translation>画布</translation>
    </message>
    <message>
        <source>A wire goes from an output to an input.</source>
        <translation>连线从输出连到输入。</translation>
    </message>
    <message>
        <source>A wire goes from an input to an output.</source>
        <translation>连线的另一端应是输出。</translation>
    </message>
    <message>
        <source>A node cannot feed itself.</source>
        <translation>节点不能连接到自身。</translation>
    </message>
    <message>
        <source>Double click or press Tab to add a layer</source>
        <translation>双击或按 Tab 键添加层</translation>
    </message>
    <message>
        <source>or drag one here from the list on the left</source>
        <translation>或从左侧列表拖到这里</translation>
    </message>
    <message>
        <source>{nodes} nodes, {wires} wires.</source>
        <translation>{nodes} 个节点，{wires} 条连线。</translation>
    </message>
    <message>
        <source>Selected: {names}.</source>
        <translation>已选择：{names}。</translation>
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
        <source>View of the canvas</source>
        <translation>画布视图</translation>
    </message>
    <message>
        <source>Zoom out (Ctrl+-)</source>
        <translation>缩小（Ctrl+-）</translation>
    </message>
    <message>
        <source>Full size (1)</source>
        <translation>原始大小（1）</translation>
    </message>
    <message>
        <source>Zoom in (Ctrl++)</source>
        <translation>放大（Ctrl++）</translation>
    </message>
    <message>
        <source>Show everything (Ctrl+0)</source>
        <translation>显示全部（Ctrl+0）</translation>
    </message>
    <message>
        <source>Arrange the nodes (Ctrl+L)</source>
        <translation>自动排列节点（Ctrl+L）</translation>
    </message>
    <message>
        <source>Snap to the grid (G; Alt while dragging: do not snap)</source>
        <translation>对齐网格（G；拖动时按住 Alt 不对齐）</translation>
    </message>
    <message>
        <source>Mini-map (M)</source>
        <translation>缩略图（M）</translation>
    </message>
    <message>
        <source>{port} fits nowhere. ← → another port of the node, Esc gives up.</source>
        <translation>{port} 没有可连接的位置。← → 切换该节点的端口，Esc 放弃。</translation>
    </message>
    <message>
        <source>Connect {port} with {target}: ↑ ↓ another target, ← → another port, Enter connects, Esc gives up.</source>
        <translation>将 {port} 连接到 {target}：↑ ↓ 切换目标，← → 切换端口，Enter 连接，Esc 放弃。</translation>
    </message>
    <message>
        <source>Drop on a glowing port to connect, or on the void to add a node.</source>
        <translation>放到发亮的端口上即可连接，放到空白处可添加节点。</translation>
    </message>
    <message>
        <source>Drop on a port to plug in, or on the void to unplug.</source>
        <translation>放到端口上即可接入，放到空白处即断开。</translation>
    </message>
    <message>
        <source>Connect {first} with {second}.</source>
        <translation>连接 {first} 与 {second}。</translation>
    </message>
    <message>
        <source>Mini-map</source>
        <translation>缩略图</translation>
    </message>
    <message>
        <source>Click or drag to look elsewhere (M hides the map)</source>
        <translation>单击或拖动以查看其他位置（M 键隐藏缩略图）</translation>
    </message>
    <message>
        <source>Name of the node</source>
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
        <source>What was found</source>
        <translation>搜索结果</translation>
    </message>
    <message>
        <source>Add a layer or operator…</source>
        <translation>添加层或运算…</translation>
    </message>
    <message>
        <source>↑ ↓ choose · Enter adds · Esc closes</source>
        <translation>↑ ↓ 选择 · Enter 添加 · Esc 关闭</translation>
    </message>
    <message>
        <source>Goes into the wire · Enter adds · Esc closes</source>
        <translation>插入到连线中 · Enter 添加 · Esc 关闭</translation>
    </message>
    <message>
        <source>↑ ↓ choose · Enter adds and connects · Esc closes</source>
        <translation>↑ ↓ 选择 · Enter 添加并连接 · Esc 关闭</translation>
    </message>
    <message>
        <source>Fits the wire · Enter adds and connects · Esc closes</source>
        <translation>可接此连线 · Enter 添加并连接 · Esc 关闭</translation>
    </message>
    <message>
        <source>Nothing found. Try another word, such as “conv”.</source>
        <translation>没有找到。请换一个词，例如“conv”。</translation>
    </message>
    <message>
        <source>Parameters: {count}</source>
        <translation>参数：{count}</translation>
    </message>
    <message>
        <source>Needs a wire.</source>
        <translation>需要连线。</translation>
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
        <source>{node}: Enter settings · F2 rename · C connect · W its wires · Del delete</source>
        <translation>{node}：Enter 设置 · F2 重命名 · C 连线 · W 查看连线 · Del 删除</translation>
    </message>
    <message>
        <source>Select a node with wires, then press W.</source>
        <translation>请选择有连线的节点，再按 W 键。</translation>
    </message>
    <message>
        <source>Wire {wire}: W the next one, Del takes it away, ← → its ends.</source>
        <translation>连线 {wire}：W 下一条，Del 删除，← → 跳到两端。</translation>
    </message>
    <message>
        <source>Nothing is selected.</source>
        <translation>未选择任何内容。</translation>
    </message>
    <message>
        <source>Drop to put it into the wire {wire}.</source>
        <translation>放下即插入到连线 {wire} 中。</translation>
    </message>
</context>
<context>
    <name>Chart</name>
    <message>
        <source>Saved {file}</source>
        <translation>已保存 {file}</translation>
    </message>
    <message>
        <source>Save the chart</source>
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
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Smooth the curves; the values stay visible, fainter</source>
        <translation>平滑曲线；原始值以较淡的颜色保留</translation>
    </message>
    <message>
        <source>What the horizontal axis counts</source>
        <translation>横轴的计数方式</translation>
    </message>
    <message>
        <source>Logarithmic vertical axis</source>
        <translation>对数纵轴</translation>
    </message>
    <message>
        <source>Keep the newest point in view while zoomed in</source>
        <translation>放大时始终显示最新的点</translation>
    </message>
    <message>
        <source>Show everything (double click, 0)</source>
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
    <name>CodeView</name>
    <message>
        <source>{count} lines</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>Source of the model</source>
        <translation>模型的源代码</translation>
    </message>
    <message>
        <source>The model&apos;s Python appears here.</source>
        <translation>模型的 Python 代码将显示在这里。</translation>
    </message>
    <message>
        <source>Find (Ctrl+F)</source>
        <translation>查找（Ctrl+F）</translation>
    </message>
    <message>
        <source>Copy the source</source>
        <translation>复制源代码</translation>
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
        <source>No command is called like that.</source>
        <translation>没有这样的命令。</translation>
    </message>
</context>
<context>
    <name>CurveChart</name>
    <message>
        <source>Chart; arrow keys walk along the points</source>
        <translation>图表；方向键沿数据点移动</translation>
    </message>
    <message>
        <source>Curves; the space bar hides and shows</source>
        <translation>曲线；空格键隐藏或显示</translation>
    </message>
</context>
<context>
    <name>Data</name>
    <message>
        <source>Choose data</source>
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
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>The target is a number: there are no classes to count.</source>
        <translation>目标是数值，没有类别可统计。</translation>
    </message>
    <message>
        <source>Samples of each class</source>
        <translation>各类别的样本数</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>This part is empty.</source>
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
        <source>, {count} classes</source>
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
        <source>Data set</source>
        <translation>数据集</translation>
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
        <source>Choice of data</source>
        <translation>数据选择</translation>
    </message>
    <message>
        <source>Part that is shown</source>
        <translation>显示的部分</translation>
    </message>
    <message>
        <source>Samples as pictures</source>
        <translation>以图片显示样本</translation>
    </message>
    <message>
        <source>Samples as a table</source>
        <translation>以表格显示样本</translation>
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
        <source>The first look at data takes some seconds.</source>
        <translation>首次查看数据需要几秒钟。</translation>
    </message>
    <message>
        <source>There is nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>Samples and balance</source>
        <translation>样本与类别分布</translation>
    </message>
    <message>
        <source>Choice and samples</source>
        <translation>选择与样本</translation>
    </message>
</context>
<context>
    <name>Dialog</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy all of it</source>
        <translation>复制全部</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Export</name>
    <message>
        <source>Exported.</source>
        <translation>已导出。</translation>
    </message>
    <message>
        <source>Weights: state_dict (.pt)</source>
        <translation>权重：state_dict（.pt）</translation>
    </message>
    <message>
        <source>The weights by name, as torch.save writes and torch.load reads.</source>
        <translation>按名称保存的权重，由 torch.save 写入，用 torch.load 读取。</translation>
    </message>
    <message>
        <source>Weights: safetensors</source>
        <translation>权重：safetensors</translation>
    </message>
    <message>
        <source>The weights in a file that cannot hold code and loads fast.</source>
        <translation>保存在不含代码且加载迅速的文件中的权重。</translation>
    </message>
    <message>
        <source>Python file with weights beside it</source>
        <translation>Python 文件及其权重</translation>
    </message>
    <message>
        <source>The class as it was trained and the lines that load the weights; it runs without Trellis.</source>
        <translation>训练时所用的类以及加载权重的代码；无需 Trellis 即可运行。</translation>
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
        <source>Written: {file}</source>
        <translation>已写入：{file}</translation>
    </message>
    <message>
        <source>Loaded back and compared: largest difference {value}.</source>
        <translation>已重新加载并比对：最大差异 {value}。</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
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
        <source>Train a model first: its checkpoints appear here.</source>
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
        <source>Show the folder</source>
        <translation>显示文件夹</translation>
    </message>
    <message>
        <source>Tensors of the checkpoint</source>
        <translation>检查点中的张量</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>正在保存…</translation>
    </message>
    <message>
        <source>Take it away</source>
        <translation>带走成果</translation>
    </message>
    <message>
        <source>What is written is loaded back and compared with the checkpoint, value by value.</source>
        <translation>写入的内容会重新加载，并与检查点逐值比对。</translation>
    </message>
    <message>
        <source>What to export</source>
        <translation>导出内容</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Where to save</source>
        <translation>保存位置</translation>
    </message>
</context>
<context>
    <name>FieldRow</name>
    <message>
        <source>Default: {value}</source>
        <translation>默认值：{value}</translation>
    </message>
    <message>
        <source>Let {name} follow what arrives</source>
        <translation>让 {name} 由输入自动确定</translation>
    </message>
    <message>
        <source>Back to the default: {value}</source>
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
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>{count} found</source>
        <translation>找到 {count} 处</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Find in the text</source>
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
        <source>Pictures</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Size of the pictures</source>
        <translation>图片大小</translation>
    </message>
    <message>
        <source>{count} pictures</source>
        <translation>{count} 张图片</translation>
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
        <source>The page before (Alt+Left)</source>
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
        <source>Versions and system are in the clipboard.</source>
        <translation>版本与系统信息已复制到剪贴板。</translation>
    </message>
    <message>
        <source>A desktop studio for PyTorch: draw a model, train it, take the code away.</source>
        <translation>PyTorch 桌面工作室：绘制模型，训练模型，带走代码。</translation>
    </message>
    <message>
        <source>About Trellis</source>
        <translation>关于 Trellis</translation>
    </message>
    <message>
        <source>Search and add a layer</source>
        <translation>搜索并添加层</translation>
    </message>
    <message>
        <source>Go from node to node</source>
        <translation>在节点之间移动</translation>
    </message>
    <message>
        <source>Connect the selected node</source>
        <translation>连接所选节点</translation>
    </message>
    <message>
        <source>Walk along the wires of the selected node</source>
        <translation>依次选中所选节点的连线</translation>
    </message>
    <message>
        <source>Go to the settings of the selected node</source>
        <translation>转到所选节点的设置</translation>
    </message>
    <message>
        <source>Give up, or select nothing</source>
        <translation>放弃，或取消选择</translation>
    </message>
    <message>
        <source>Zoom to the selection</source>
        <translation>缩放到所选内容</translation>
    </message>
    <message>
        <source>Full size</source>
        <translation>原始大小</translation>
    </message>
    <message>
        <source>Snap to the grid</source>
        <translation>对齐网格</translation>
    </message>
    <message>
        <source>Mini-map</source>
        <translation>缩略图</translation>
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
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <source>On the canvas</source>
        <translation>画布上</translation>
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
        <source>The name is the attribute in the generated class and the prefix of its weights.</source>
        <translation>该名称是生成类中的属性名，也是其权重名的前缀。</translation>
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
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Documentation</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>This version of the program knows no layer of the type “{type}”. The node is kept as it is, but the model cannot run with it.</source>
        <translation>此版本的程序不认识类型为“{type}”的层。节点会原样保留，但模型无法运行。</translation>
    </message>
    <message>
        <source>This one has no settings.</source>
        <translation>此项没有设置。</translation>
    </message>
    <message>
        <source>(none)</source>
        <translation>（无）</translation>
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
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Select a layer to see and change its settings. Tab or a double click on the canvas adds one; F1 shows the help for what is selected.</source>
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
</context>
<context>
    <name>Leaving</name>
    <message>
        <source>A run is going on</source>
        <translation>有运行正在进行</translation>
    </message>
    <message>
        <source>It can go on without the window: it is found and followed when the project is opened again. Or it is stopped now; checkpoint and curves are kept, and it can be resumed.</source>
        <translation>关闭窗口后它可以继续运行，再次打开项目时会找到并继续跟踪。也可以现在停止：检查点和曲线会保留，之后可以恢复。</translation>
    </message>
    <message>
        <source>It trains in the window&apos;s own process and cannot go on without it. Stopped now, its checkpoint and curves are kept, and it can be resumed.</source>
        <translation>它在窗口自己的进程中训练，离开窗口就无法继续。现在停止会保留检查点和曲线，之后可以恢复。</translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation>保持运行</translation>
    </message>
    <message>
        <source>Stop and save</source>
        <translation>停止并保存</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>留在这里</translation>
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
    <name>LinePreview</name>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Messages and worse</source>
        <translation>消息及以上</translation>
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
        <source>What a run reports is written here.</source>
        <translation>运行的报告会写在这里。</translation>
    </message>
    <message>
        <source>Follow the newest line</source>
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
    <message>
        <source>Clear the view</source>
        <translation>清空视图</translation>
    </message>
</context>
<context>
    <name>Model</name>
    <message>
        <source>Add a layer</source>
        <translation>添加层</translation>
    </message>
    <message>
        <source>Put a layer into a wire</source>
        <translation>在连线中插入层</translation>
    </message>
    <message>
        <source>Rename a layer</source>
        <translation>重命名层</translation>
    </message>
    <message>
        <source>Change a setting</source>
        <translation>修改设置</translation>
    </message>
    <message>
        <source>Reset a setting</source>
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
        <source>Arrange</source>
        <translation>自动排列</translation>
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
        <source>Connect elsewhere</source>
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
        <source>The code is in the clipboard.</source>
        <translation>代码已复制到剪贴板。</translation>
    </message>
    <message>
        <source>There is no code yet: mend the problems first.</source>
        <translation>尚无代码：请先解决问题。</translation>
    </message>
    <message>
        <source>Model workspace</source>
        <translation>模型工作区</translation>
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
        <source>Begin with</source>
        <translation>起始内容</translation>
    </message>
    <message>
        <source>An empty model</source>
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
        <source>Where the project folder is made</source>
        <translation>项目文件夹的位置</translation>
    </message>
    <message>
        <source>A name without slashes is needed.</source>
        <translation>名称不能为空，也不能包含斜杠。</translation>
    </message>
    <message>
        <source>There is something of that name already.</source>
        <translation>同名的文件或文件夹已存在。</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Notice</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Kind of notice</source>
        <translation>通知类型</translation>
    </message>
    <message>
        <source>Close this notice</source>
        <translation>关闭此通知</translation>
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
        <source>Nothing has that name. Try “conv”, “norm” or “concat”.</source>
        <translation>没有匹配的名称。试试“conv”、“norm”或“concat”。</translation>
    </message>
    <message>
        <source>Found ({count})</source>
        <translation>找到（{count}）</translation>
    </message>
</context>
<context>
    <name>Preferences</name>
    <message>
        <source>as the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>dark</source>
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
        <source>Snap to the grid</source>
        <translation>对齐网格</translation>
    </message>
    <message>
        <source>Mini-map</source>
        <translation>缩略图</translation>
    </message>
    <message>
        <source>Autosave every</source>
        <translation>自动保存间隔</translation>
    </message>
    <message>
        <source>Unsaved work is written beside the project this often and shortly after each change; it is offered when the program did not end as usual.</source>
        <translation>未保存的工作会按此间隔以及每次修改后不久写到项目旁边；程序异常结束后会提示恢复。</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Canvas</source>
        <translation>画布</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>Preferences</source>
        <translation>首选项</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Problems</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Set {field} to {value}</source>
        <translation>将 {field} 设为 {value}</translation>
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
        <source>Mend a problem</source>
        <translation>修复问题</translation>
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
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>No problems. The model is ready to train.</source>
        <translation>没有问题，模型可以训练。</translation>
    </message>
    <message>
        <source>Mend this problem</source>
        <translation>解决这个问题</translation>
    </message>
    <message>
        <source>Checking the model…</source>
        <translation>正在检查模型……</translation>
    </message>
    <message>
        <source>Copy the problem and its details</source>
        <translation>复制问题及其详情</translation>
    </message>
    <message>
        <source>Details of the problem</source>
        <translation>问题详情</translation>
    </message>
</context>
<context>
    <name>ProgressPanel</name>
    <message>
        <source>{time} left</source>
        <translation>剩余 {time}</translation>
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
        <source>Made a project of your own in {folder}.</source>
        <translation>已在 {folder} 为你创建项目。</translation>
    </message>
    <message>
        <source>Open a project folder</source>
        <translation>打开项目文件夹</translation>
    </message>
    <message>
        <source>Opened {folder}</source>
        <translation>已打开 {folder}</translation>
    </message>
    <message>
        <source>Save a copy: name of the new folder</source>
        <translation>保存副本：新文件夹的名称</translation>
    </message>
    <message>
        <source>Save the changes to “{name}”?</source>
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
        <source>Do not save</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Saved {file}</source>
        <translation>已保存 {file}</translation>
    </message>
    <message>
        <source>Overwrite it</source>
        <translation>覆盖</translation>
    </message>
    <message>
        <source>Load it again</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>There is unsaved work of {when} from a session that did not end as usual.</source>
        <translation>上次程序异常结束，有 {when} 的未保存工作。</translation>
    </message>
    <message>
        <source>Restore it</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Discard it</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Restore unsaved work</source>
        <translation>恢复未保存的工作</translation>
    </message>
    <message>
        <source>Restored. Undo takes it back; saving keeps it.</source>
        <translation>已恢复。撤销可取消恢复，保存即可保留。</translation>
    </message>
</context>
<context>
    <name>Run</name>
    <message>
        <source>Open a project first.</source>
        <translation>请先打开项目。</translation>
    </message>
    <message>
        <source>A run is going on. Pause or stop it first.</source>
        <translation>有运行正在进行，请先暂停或停止。</translation>
    </message>
    <message>
        <source>PyTorch is being loaded into the window&apos;s own process. The window is slower while this run trains, and closing it ends the run.</source>
        <translation>正在把 PyTorch 载入窗口自己的进程。这次运行训练期间窗口会变慢，关闭窗口会结束运行。</translation>
    </message>
    <message>
        <source>The run goes on with the learning rate of the recipe: {rate}.</source>
        <translation>运行以训练设置中的学习率继续：{rate}。</translation>
    </message>
    <message>
        <source>Training did not start. {reason}</source>
        <translation>训练没有开始。{reason}</translation>
    </message>
    <message>
        <source>“{run}” went on while the window was closed.</source>
        <translation>窗口关闭期间，“{run}”一直在运行。</translation>
    </message>
    <message>
        <source>The run has not answered for 10 seconds.</source>
        <translation>运行已有 10 秒没有响应。</translation>
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
        <source>“{run}” is finished.</source>
        <translation>“{run}”已完成。</translation>
    </message>
    <message>
        <source>“{run}” is stopped and can be resumed.</source>
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
        <source>not answering</source>
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
        <source>Training starts as soon as PyTorch is loaded and the model is checked.</source>
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
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>The loss of training and validation appears here.</source>
        <translation>训练和验证的损失将显示在这里。</translation>
    </message>
    <message>
        <source>Metrics appear after the first epoch.</source>
        <translation>指标在第一轮结束后显示。</translation>
    </message>
    <message>
        <source>The learning rate appears here.</source>
        <translation>学习率将显示在这里。</translation>
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
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>{part} {measure}</source>
        <translation>{part}{measure}</translation>
    </message>
    <message>
        <source>best checkpoint</source>
        <translation>最佳检查点</translation>
    </message>
    <message>
        <source>loading PyTorch and the data…</source>
        <translation>正在加载 PyTorch 和数据……</translation>
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
</context>
<context>
    <name>Runs</name>
    <message>
        <source>Take the model of a run</source>
        <translation>取用运行的模型</translation>
    </message>
    <message>
        <source>This is the model of “{run}”. Undo brings yours back.</source>
        <translation>这是“{run}”的模型。撤销可恢复你的模型。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Rename the run</source>
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
        <source>Select runs in the table to compare their curves.</source>
        <translation>在表中选择运行以比较曲线。</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Kept as</source>
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
        <source>{count} layers</source>
        <translation>{count} 层</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>These runs have the same model and the same settings.</source>
        <translation>这些运行的模型和设置都相同。</translation>
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
        <source>every so many steps</source>
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
        <source>change of a value</source>
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
        <source>Runs</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>还没有运行</translation>
    </message>
    <message>
        <source>Each training is kept here with its curves and checkpoints.</source>
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
        <source>Go on from the checkpoint that is selected below, or the newest</source>
        <translation>从下方选中的检查点或最新的检查点继续</translation>
    </message>
    <message>
        <source>Take its model</source>
        <translation>取用其模型</translation>
    </message>
    <message>
        <source>Put the model and the recipe of this run back on the canvas</source>
        <translation>把此运行的模型和训练设置放回画布</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Take weights or code of this run away</source>
        <translation>导出此运行的权重或代码</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Give this run another name</source>
        <translation>为此运行改名</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
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
        <source>Take the selected runs away; this can be undone</source>
        <translation>删除所选运行；可以撤销</translation>
    </message>
</context>
<context>
    <name>ScatterView</name>
    <message>
        <source>Points by class</source>
        <translation>按类别着色的点</translation>
    </message>
    <message>
        <source>Classes; the space bar hides and shows</source>
        <translation>类别；空格键隐藏或显示</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>{count} parameters</source>
        <translation>{count} 个参数</translation>
    </message>
    <message>
        <source>Memory for parameters, gradients and {states} values a parameter of {optimizer}; activations come on top and grow with the batch.</source>
        <translation>参数、梯度以及 {optimizer} 每个参数 {states} 个状态值所需的内存；激活值另计，并随批大小增长。</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Loading PyTorch…</source>
        <translation>正在加载 PyTorch…</translation>
    </message>
    <message>
        <source>PyTorch is loaded in the background; drawing works already.</source>
        <translation>PyTorch 正在后台加载；现在就可以绘制模型。</translation>
    </message>
    <message>
        <source>PyTorch {version}, {threads} threads, {memory} memory</source>
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
        <source>Show the list of problems</source>
        <translation>显示问题列表</translation>
    </message>
    <message>
        <source>The run that is followed</source>
        <translation>正在跟踪的运行</translation>
    </message>
    <message>
        <source>Show the run</source>
        <translation>显示运行</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>运行进度</translation>
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
        <source>The program did not end as usual twice in a minute. It started in safe mode: without the last layout and project.</source>
        <translation>程序在一分钟内两次异常结束，现以安全模式启动：不恢复上次的布局和项目。</translation>
    </message>
    <message>
        <source>Reset the layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation>打开 {name}</translation>
    </message>
    <message>
        <source>The last session ended by a crash. There is a report.</source>
        <translation>上次程序崩溃，已生成报告。</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>查看</translation>
    </message>
    <message>
        <source>Something went wrong in the program itself; your work is as it was. {error}</source>
        <translation>程序内部出错；你的工作保持原样。{error}</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
</context>
<context>
    <name>TableView</name>
    <message>
        <source>No row holds “{text}”.</source>
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
        <source>Choose the columns</source>
        <translation>选择列</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
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
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Close this notice</source>
        <translation>关闭此通知</translation>
    </message>
</context>
<context>
    <name>Tour</name>
    <message>
        <source>From left to right</source>
        <translation>从左到右</translation>
    </message>
    <message>
        <source>The workspaces follow the work: draw the model, choose data, train, compare runs, take the result away.</source>
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
        <source>The canvas is the program</source>
        <translation>画布就是程序</translation>
    </message>
    <message>
        <source>Pull a wire from an output to an input. Shapes appear on the wires as you draw, and what you draw is written as Python below.</source>
        <translation>从输出拉一条线到输入。绘制时形状会显示在连线上，下方同步生成 Python 代码。</translation>
    </message>
    <message>
        <source>Settings and help</source>
        <translation>设置与帮助</translation>
    </message>
    <message>
        <source>The selected layer: its settings, its shapes and its documentation.</source>
        <translation>所选层的设置、形状和文档。</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>What does not fit yet is listed here. A click leads to the place.</source>
        <translation>尚不匹配之处列在这里，单击即可跳转。</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>F5 starts a run. It goes on in a process of its own; F6 pauses it, Shift+F5 stops it and keeps everything.</source>
        <translation>按 F5 开始运行，它在独立的进程中进行；F6 暂停，Shift+F5 停止并保留全部结果。</translation>
    </message>
    <message>
        <source>Everything else</source>
        <translation>其他一切</translation>
    </message>
    <message>
        <source>Ctrl+K finds every command by name.</source>
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
    <name>Train</name>
    <message>
        <source>Change a setting</source>
        <translation>修改设置</translation>
    </message>
    <message>
        <source>Reset a setting</source>
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
        <source>Gradient clipping</source>
        <translation>梯度裁剪</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
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
        <source>Add another loss</source>
        <translation>再添加一个损失</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>系数</translation>
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
        <source>How the weights change after each batch.</source>
        <translation>权重在每个批次之后如何改变。</translation>
    </message>
    <message>
        <source>How the learning rate changes during the run; none keeps it as it is.</source>
        <translation>运行中学习率如何变化；选择无则保持不变。</translation>
    </message>
    <message>
        <source>What training makes smaller; several are added.</source>
        <translation>训练要减小的量；多个损失会相加。</translation>
    </message>
    <message>
        <source>What the loss takes here: an output of the model or a field of the data.</source>
        <translation>损失在此处取用的内容：模型的输出或数据的字段。</translation>
    </message>
    <message>
        <source>by the task</source>
        <translation>按任务选择</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>What is measured beside the loss after each epoch.</source>
        <translation>每轮结束后除损失外还要测量的内容。</translation>
    </message>
    <message>
        <source>Train workspace</source>
        <translation>训练工作区</translation>
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
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Learning rate as planned</source>
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
        <source>Train on</source>
        <translation>继续训练</translation>
    </message>
    <message>
        <source>Go on with this run to {epochs} epochs in all (Ctrl+F5)</source>
        <translation>把此次运行继续训练到共 {epochs} 轮（Ctrl+F5）</translation>
    </message>
    <message>
        <source>Go on with the last run from its newest checkpoint (Ctrl+F5)</source>
        <translation>从最新检查点继续上次运行（Ctrl+F5）</translation>
    </message>
    <message>
        <source>Wait after this step; a checkpoint is written (F6)</source>
        <translation>在当前步之后暂停，并写入检查点（F6）</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Take one step, then wait again (F10)</source>
        <translation>执行一步后再次暂停（F10）</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>End the run; checkpoint and curves are kept (Shift+F5)</source>
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
        <source>Time and speed</source>
        <translation>时间与速度</translation>
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
        <source>Values of the run that goes on</source>
        <translation>进行中的运行的可调值</translation>
    </message>
    <message>
        <source>Why a value cannot be set</source>
        <translation>无法设置该值的原因</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Enter sets the learning rate of the run from its next step on</source>
        <translation>按回车键，从下一步起改变运行的学习率</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>Enter makes the run longer or shorter</source>
        <translation>按回车键可延长或缩短运行</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
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
        <source>Projects you open appear here.</source>
        <translation>打开过的项目会显示在这里。</translation>
    </message>
    <message>
        <source>Draw a model, train it, look inside, take the code away.</source>
        <translation>绘制模型，训练模型，洞察内部，带走代码。</translation>
    </message>
    <message>
        <source>Begin with an example</source>
        <translation>从示例开始</translation>
    </message>
    <message>
        <source>Your projects</source>
        <translation>你的项目</translation>
    </message>
    <message>
        <source>Open a project…</source>
        <translation>打开项目…</translation>
    </message>
    <message>
        <source>New empty project…</source>
        <translation>新建空项目…</translation>
    </message>
    <message>
        <source>Take the tour</source>
        <translation>参观向导</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
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
        <source>A picture of the window is in the clipboard.</source>
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
        <source>Draw the model (Ctrl+1)</source>
        <translation>绘制模型（Ctrl+1）</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Choose data and look at them (Ctrl+2)</source>
        <translation>选择并查看数据（Ctrl+2）</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Set the recipe and watch the curves (Ctrl+3)</source>
        <translation>设置训练并观察曲线（Ctrl+3）</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Compare runs and go on from checkpoints (Ctrl+4)</source>
        <translation>比较运行，从检查点继续（Ctrl+4）</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Take weights and code away (Ctrl+5)</source>
        <translation>带走权重和代码（Ctrl+5）</translation>
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
</TS>
